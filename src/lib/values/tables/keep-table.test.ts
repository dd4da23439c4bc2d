import { expect, test } from "bun:test";
import { createLogger } from "../../runtime/log.ts";
import { findRemoved } from "./keep-table.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const ids = (count: number) => new Set(Array.from({ length: count }, (_, id) => id));

/** Runs it over readings that miss these entries, one after the other; what was found, and how often it read. */
async function run(known: number, ...readings: ReadonlySet<number>[]) {
  let reads = 0;
  const read = async () => readings[Math.min(reads++, readings.length - 1)] ?? new Set<number>();
  const removed = [...(await findRemoved(read, () => known, "test", log))];
  return { removed, reads };
}

test("a few entries that were removed are found in one reading", async () => {
  expect(await run(1000, new Set([3, 7]))).toEqual({ removed: [3, 7], reads: 1 });
  expect(await run(1000, new Set())).toEqual({ removed: [], reads: 1 });
});

test("a reading that misses everything is repeated and removes nothing by itself", async () => {
  expect(await run(1000, ids(1000), new Set([3]))).toEqual({ removed: [3], reads: 2 });
  expect(await run(5, ids(5), new Set())).toEqual({ removed: [], reads: 2 });
  expect(await run(1000, ids(200), new Set())).toEqual({ removed: [], reads: 2 });
});

test("what two readings miss is removed, however much it is", async () => {
  expect((await run(1000, ids(1000), ids(1000))).removed).toHaveLength(1000);
});

test("a reading that fails removes nothing", async () => {
  const failing = findRemoved(
    () => Promise.reject(new Error("cut")),
    () => 10,
    "test",
    log,
  );
  await expect(failing).rejects.toThrow("cut");
});
