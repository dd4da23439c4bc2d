import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../formats/conversation/reply.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SharedTexts } from "../../../lib/redis/shared-texts.ts";
import { type CachedResponse, CachedResponses, type Found, type Turn } from "./cached-responses.ts";
import { entryText, readEntry } from "./entry-text.ts";

const response = (text: string, fields: Partial<CachedResponse> = {}): CachedResponse => ({
  ...{ text, usage: NO_USAGE, tiers: [], upstreamCost: null, dropped: [], contentType: "application/json" },
  ...{ isStream: false, withUsage: false, storedAt: nowSeconds(), expiresAt: nowSeconds() + 60, ...fields },
});
const lookup = (isShared: boolean) => ({
  ...{ key: "k", ttlSeconds: 60, isShared },
  isFresh: ({ expiresAt }: CachedResponse) => expiresAt > nowSeconds(),
});
const turnOf = ({ turn }: Found): Turn => {
  if (!turn) throw new Error("it has no turn");
  return turn;
};

/** A Redis in memory; leases end as there. */
function memoryTexts(fields: Partial<SharedTexts> = {}) {
  const texts = new Map<string, string>();
  const turns = new Map<string, { owner: string; until: number }>();
  const turnOf = (key: string) => {
    const held = turns.get(key);
    return held && held.until > performance.now() ? held : null;
  };
  const shared: Omit<SharedTexts, "close"> = {
    get: async (key) => texts.get(key) ?? null,
    set: async (key, text) => void texts.set(key, text),
    async claim(key, owner, ttlMs) {
      if ((turnOf(key)?.owner ?? owner) !== owner) return false;
      turns.set(key, { owner, until: performance.now() + ttlMs });
      return true;
    },
    async release(key, owner) {
      if (turnOf(key)?.owner === owner) turns.delete(key);
    },
    isClaimed: async (key) => turnOf(key) !== null,
    ...fields,
  };
  return { shared, texts, turns };
}

const open = (shared: Omit<SharedTexts, "close"> | null = null) => {
  const opened = new CachedResponses(shared);
  opened.limit(1_000_000);
  return opened;
};

test("of equal calls in one tick of the event loop one has the turn", async () => {
  const memory = open();
  const all = Array.from({ length: 50 }, () => memory.find(lookup(false)));
  const first = await Promise.race(all);
  turnOf(first).keep(response("a"));
  const found = await Promise.all(all);
  expect(found.filter(({ turn }) => turn !== null)).toHaveLength(1);
  expect(found.filter(({ response: brought }) => brought?.text === "a")).toHaveLength(49);
});

describe("processes with one Redis", () => {
  test("wait for one of them, whose response all get", async () => {
    const { shared, turns } = memoryTexts();
    const processes = [open(shared), open(shared), open(shared)];
    const all = processes.flatMap((each) => [each.find(lookup(true)), each.find(lookup(true))]);
    const first = await Promise.race(all);
    await Bun.sleep(100);
    turnOf(first).keep(response("a"));
    const found = await Promise.all(all);
    expect(found.filter(({ turn }) => turn !== null)).toHaveLength(1);
    expect(found.filter(({ response: brought }) => brought?.text === "a")).toHaveLength(5);
    expect(turns.size).toBe(0);
  });

  test("wait no longer for one that brings nothing", async () => {
    const { shared } = memoryTexts();
    const [one, two] = [open(shared), open(shared)];
    const first = turnOf(await one.find(lookup(true)));
    const second = two.find(lookup(true));
    await Bun.sleep(50);
    first.drop(false);
    turnOf(await second).drop(false);
  });

  test("wait for one that was killed until its lease ends", async () => {
    const { shared, turns } = memoryTexts();
    turns.set("k", { owner: "killed", until: performance.now() + 300 });
    const startedMs = performance.now();
    turnOf(await open(shared).find(lookup(true))).drop(false);
    expect(performance.now() - startedMs).toBeGreaterThan(250);
    expect(performance.now() - startedMs).toBeLessThan(1500);
  });

  test("keep a turn for as long as a call takes", async () => {
    const { shared } = memoryTexts();
    const [one, two] = [open(shared), open(shared)];
    const first = turnOf(await one.find(lookup(true)));
    let hasSecond = false;
    const second = two.find(lookup(true)).then((found) => {
      hasSecond = true;
      return found;
    });
    await Bun.sleep(6000);
    expect(hasSecond).toBe(false);
    first.keep(response("late"));
    expect((await second).response?.text).toBe("late");
  }, 20_000);

  test("make their calls where it is away, and keep what it lost", async () => {
    const away = memoryTexts({ get: async () => null, claim: async () => null, isClaimed: async () => false });
    const [one, two] = [open(away.shared), open(away.shared)];
    const turns = [await one.find(lookup(true)), await two.find(lookup(true))].map(turnOf);
    for (const turn of turns) turn.keep(response("a"));
  });
});

describe("an entry of another writer is none", () => {
  const good = entryText(response("a", { usage: { ...NO_USAGE, toolCalls: { web_search: 1 } } }));
  test("unless it is what this release writes", () => expect(readEntry(good)?.text).toBe("a"));
  test.each([
    ["cut", good.slice(0, -10)],
    ["of text", '"a"'],
    ["without usage", good.replace("promptTokens", "prompt")],
    ["with usage that is no number", good.replace('"promptTokens":0', '"promptTokens":"0"')],
    ["with negative usage", good.replace('"promptTokens":0', '"promptTokens":-5')],
    ["with tools that are no numbers", good.replace('"web_search":1', '"web_search":"1"')],
    ["of another release", good.replace('"tiers":[]', '"tiers":[5]')],
    ["without an end", good.replace("expiresAt", "ends")],
  ])("%s", (_, text) => {
    expect(text).not.toBe(good);
    expect(readEntry(text)).toBeNull();
  });

  test("or is over, whatever Redis says", async () => {
    const { shared, texts } = memoryTexts();
    texts.set("k", entryText(response("old", { expiresAt: nowSeconds() - 1 })));
    turnOf(await open(shared).find(lookup(true))).drop(false);
  });
});
