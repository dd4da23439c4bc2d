import { describe, expect, test } from "bun:test";
import { endOfTurn, FairTurns } from "./tick.ts";

class Refused extends Error {}
const refusal = new Refused();

/** Enters and notes what becomes of it. */
function enterAs(turns: FairTurns, owner: number, ended: string[], name = String(owner)): "now" | "waits" {
  const turn = turns.enter(owner);
  if (!turn) return "now";
  turn.then(
    () => ended.push(name),
    (error) => ended.push(`${name} ${error === refusal ? "refused" : error}`),
  );
  return "waits";
}

const many = (turns: FairTurns, owner: number, count: number, ended: string[] = []) =>
  Array.from({ length: count }, () => enterAs(turns, owner, ended));

describe("turns", () => {
  test("nobody waits whose calls fit into their turn, turn after turn", async () => {
    const turns = new FairTurns(refusal);
    for (let turn = 0; turn < 50; turn += 1) {
      expect(many(turns, turn % 3, 32)).not.toContain("waits");
      await endOfTurn();
    }
  });

  test("an owner with thousands of calls waits for them; another one begins at once, in each turn", async () => {
    const turns = new FairTurns(refusal);
    const ended: string[] = [];
    const flood = many(turns, 1, 1000, ended);
    expect(flood.filter((what) => what === "now")).toHaveLength(33);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(enterAs(turns, 2, ended)).toBe("now");
      await endOfTurn();
    }
    await Bun.sleep(0);
    // Short turns, as another one calls. A busy machine may make some wait too long.
    const begun = ended.filter((name) => name === "1");
    expect(begun.length).toBeGreaterThanOrEqual(20 * 3);
    expect(begun.length).toBeLessThanOrEqual(20 * 4);
    expect(ended).not.toContain("2 refused");
  });

  test("owners that wait take turns, whoever came first", async () => {
    const turns = new FairTurns(refusal);
    const ended: string[] = [];
    many(turns, 1, 500, ended);
    for (const owner of [2, 3]) many(turns, owner, 11, ended);
    await endOfTurn();
    await Promise.resolve();
    const counts = [1, 2, 3].map((owner) => ended.filter((name) => name === String(owner)).length);
    // One of 2 and 3 each had begun at once.
    expect(counts).toEqual([2, 1, 1]);
    for (let turn = 0; turn < 9; turn += 1) await endOfTurn();
    await Promise.resolve();
    expect(ended.filter((name) => name !== "1")).toHaveLength(20);
  });

  test("those that waited too long are refused, only of the owner who has too many, and only while others call", async () => {
    const turns = new FairTurns(refusal);
    const ended: string[] = [];
    many(turns, 1, 200, ended);
    expect(enterAs(turns, 2, ended)).toBe("now");
    const untilMs = performance.now() + 300;
    while (performance.now() < untilMs); // The event loop stands still.
    await endOfTurn();
    await Promise.resolve();
    expect(ended.filter((what) => what === "1 refused")).toHaveLength(128);
    expect(enterAs(turns, 2, ended)).toBe("now");

    const alone = new FairTurns(refusal);
    const served: string[] = [];
    many(alone, 1, 200, served);
    const laterMs = performance.now() + 300;
    while (performance.now() < laterMs);
    while (served.length < 167) await endOfTurn();
    expect(new Set(served)).toEqual(new Set(["1"]));
  });

  test("each call begins once or is refused once, in any order", async () => {
    const turns = new FairTurns(refusal);
    let seed = 3;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const ended: string[] = [];
    let entered = 0;
    let atOnce = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      for (let incoming = random(120); incoming > 0; incoming -= 1) {
        if (enterAs(turns, random(5), ended, String(entered)) === "now") atOnce += 1;
        entered += 1;
      }
      if (random(3) > 0) await endOfTurn();
    }
    while (atOnce + ended.length < entered) await Bun.sleep(1);
    await Bun.sleep(5);
    expect(atOnce + ended.length).toBe(entered);
    expect(new Set(ended.map((name) => name.split(" ")[0])).size).toBe(ended.length);
  });
});
