import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { silentLog, temporaryDirectory } from "../../../test/support/billing/start-billing.ts";
import { Journal } from "./journal.ts";
import { BATCH_RECORDS } from "./pump.ts";
import { JournalWriter } from "./writer.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let journal: Journal;
let writer: JournalWriter;
let batches: { size: number; at: number }[];

beforeEach(async () => {
  directory = await temporaryDirectory();
  journal = new Journal(directory.path, silentLog);
  batches = [];
  const sink = {
    apply: async (records: readonly string[]) => void batches.push({ size: records.length, at: performance.now() }),
    reject: async () => {},
  };
  writer = new JournalWriter(journal, sink, silentLog);
});
afterEach(async () => {
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

/** Waits for the batch of this number, and answers its size and how long it came after `since`. */
async function batch(number: number, since = performance.now()): Promise<{ size: number; afterMs: number }> {
  while (batches.length < number) await Bun.sleep(1);
  const { size, at } = batches[number - 1] as { size: number; at: number };
  return { size, afterMs: at - since };
}

describe("pace of batches", () => {
  test("single records are written soon after each other", async () => {
    for (const number of [1, 2, 3]) {
      append(1);
      const { size, afterMs } = await batch(number);
      expect(size).toBe(1);
      expect(afterMs).toBeLessThan(500);
    }
  });

  test("while more come they gather for a second", async () => {
    for (const number of [1, 2]) {
      const since = performance.now();
      let appended = 0;
      while (batches.length < number) {
        append(1);
        appended++;
        await Bun.sleep(5);
      }
      const { size, afterMs } = await batch(number, since);
      expect(afterMs).toBeGreaterThan(900);
      expect(size).toBeGreaterThanOrEqual(appended - 2);
    }
  });

  test("when no more come the rest is written soon", async () => {
    append(1);
    await batch(1);
    append(100);
    const { size, afterMs } = await batch(2);
    expect(size).toBe(100);
    expect(afterMs).toBeLessThan(500);
  });

  test("a full batch waits for nothing", async () => {
    append(1);
    await batch(1);
    append(BATCH_RECORDS);
    const { size, afterMs } = await batch(2);
    expect(size).toBe(BATCH_RECORDS);
    expect(afterMs).toBeLessThan(500);
  });

  test("who wants it written now does not wait for the pace", async () => {
    append(1);
    await batch(1);
    append(1);
    const coming = setInterval(() => append(1), 5);
    const since = performance.now();
    await writer.flush(5000).finally(() => clearInterval(coming));
    expect(performance.now() - since).toBeLessThan(500);
  });
});
