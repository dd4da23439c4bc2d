import { describe, expect, test } from "bun:test";
import { createHostSlots, type HostSlots, SlotCounter, type SlotQuestion } from "./host-slots.ts";

/** Two processes, and the one that counts for them. */
function startHost() {
  const counter = new SlotCounter();
  const askAs = (process: number) => async (question: SlotQuestion) => counter.count(question, process);
  return { counter, asks: [askAs(1), askAs(2)] as const };
}

describe("places of several processes of one host", () => {
  const enter = async (slots: HostSlots | undefined, count: number, key: string) =>
    (await slots?.enter("user", count, key)) ?? null;

  test("no more are taken than there are, whichever process takes them", async () => {
    const [here, there] = startHost().asks.map(createHostSlots);
    const places = [await enter(here, 2, "7"), await enter(there, 2, "7")];
    expect(places).not.toContain(null);
    expect(await enter(here, 2, "7")).toBeNull();
    expect(await enter(here, 2, "8")).not.toBeNull();
    places[1]?.();
    expect(await enter(here, 2, "7")).not.toBeNull();
  });

  test("a process that ends leaves its places", async () => {
    const { counter, asks } = startHost();
    const [here, there] = asks.map(createHostSlots);
    await enter(there, 1, "7");
    expect(await enter(here, 1, "7")).toBeNull();
    counter.forgetProcess(2);
    expect(await enter(here, 1, "7")).not.toBeNull();
  });

  test("a place that nobody counted takes none from those that were counted", async () => {
    const { asks } = startHost();
    let isSilent = true;
    const slots = createHostSlots((question) => (isSilent ? Promise.reject(new Error("silent")) : asks[0](question)));
    const uncounted = await enter(slots, 1, "7");
    isSilent = false;
    expect(await enter(slots, 1, "7")).not.toBeNull();
    uncounted?.();
    expect(await enter(slots, 1, "7")).toBeNull();
  });
});
