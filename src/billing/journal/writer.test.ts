import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { fakeSink, silentLog, temporaryDirectory } from "../../../test/support/billing/start-billing.ts";
import { Journal } from "./journal.ts";
import { BATCH_RECORDS } from "./pump.ts";
import { JournalWriter } from "./writer.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let journal: Journal;
let writer: JournalWriter;
/** How many records each batch had. */
let batches: number[];

beforeEach(async () => {
  directory = await temporaryDirectory();
  jest.useFakeTimers();
  journal = new Journal(directory.path, silentLog);
  batches = [];
  const sink = fakeSink({ apply: async (records) => void batches.push(records.length) });
  writer = new JournalWriter(journal, sink, silentLog);
});
afterEach(async () => {
  jest.useRealTimers();
  await writer.close();
  journal.close();
  await directory.remove();
});

function append(records: number): void {
  for (let record = 0; record < records; record++) {
    journal.append(`record ${record}`);
    writer.wake();
  }
}

/** Lets the clock run, and whatever its timers start come to its end: batches here wait for nothing but promises. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Appends a record every 5 ms for so long. */
async function keepAppending(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5) {
    append(1);
    await pass(5);
  }
}

describe("pace of batches", () => {
  test("single records are written soon after each other", async () => {
    for (const size of [[1], [1, 1], [1, 1, 1]]) {
      append(1);
      await pass(60);
      expect(batches).toEqual(size);
    }
  });

  test("while more come they gather for a second", async () => {
    await keepAppending(900);
    expect(batches).toEqual([]);
    await keepAppending(150);
    expect(batches).toEqual([200]);
    await keepAppending(800);
    expect(batches).toHaveLength(1);
    await keepAppending(250);
    expect(batches).toEqual([200, 200]);
  });

  test("when no more come the rest is written soon", async () => {
    append(1);
    await pass(60);
    append(100);
    await pass(120);
    expect(batches).toEqual([1, 100]);
  });

  test("a full batch waits for nothing", async () => {
    append(1);
    await pass(60);
    append(BATCH_RECORDS);
    await pass(0);
    expect(batches).toEqual([1, BATCH_RECORDS]);
  });

  test("flush writes what is there at once, however many more come", async () => {
    append(1);
    await pass(60);
    await keepAppending(100);
    const flushed = writer.flush(5000);
    await pass(0);
    await flushed;
    expect(batches).toEqual([1, 20]);
  });
});
