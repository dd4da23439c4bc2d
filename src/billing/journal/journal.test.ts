import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeSink, silentLog, temporaryDirectory } from "../../../test/support/billing/start-billing.ts";
import { until } from "../../../test/support/lib/until.ts";
import { endOfTurn } from "../../lib/runtime/tick.ts";
import { Journal } from "./journal.ts";
import { Pump, type RecordSink, type RecordSource, SET_ASIDE_REASON } from "./pump.ts";
import { claimDirectory, makeClaimedDirectory } from "./segments/adopt-orphans.ts";
import { linesOf, readLines, type SegmentLine, segmentName, textOf } from "./segments/segment.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

const texts = (lines: readonly SegmentLine[]) => lines.map((line) => line.text);

describe("lines", () => {
  test.each(["{}", '{"a":"漢字 🚰"}', "x".repeat(400_000)])("come back as they were", (text) => {
    const line = linesOf([text]).bytes;
    expect(line.at(-1)).toBe(0x0a);
    expect(textOf(Buffer.from(line.subarray(0, -1)))).toBe(text);
  });

  test("a changed byte is noticed", () => {
    const line = Buffer.from(linesOf(['{"quota":100}']).bytes).subarray(0, -1);
    for (let at = 0; at < line.length; at++) {
      const damaged = Buffer.from(line);
      damaged[at] = (damaged[at] as number) ^ 1;
      if (at !== 8) expect(textOf(damaged)).toBeNull();
    }
    expect(textOf(Buffer.from("short"))).toBeNull();
  });

  test("are read in parts, whatever their length, up to the last newline", () => {
    const path = join(directory.path, "segment");
    const written = Array.from({ length: 50 }, (_, index) => String(index).repeat(1 + index * 700));
    writeFileSync(path, "");
    for (const text of written) appendFileSync(path, linesOf([text]).bytes);
    appendFileSync(path, "0badc0de {half");
    const read: (string | null)[] = [];
    for (let from = 0, lines = readLines(path, 0, 7, 1e6); lines.length > 0; lines = readLines(path, from, 7, 1e6)) {
      read.push(...texts(lines));
      from = lines.at(-1)?.end as number;
    }
    expect(read).toEqual(written);
  });
});

describe("journal", () => {
  test("gives records in order and forgets what is committed", () => {
    const journal = new Journal(directory.path, silentLog);
    for (let record = 0; record < 10; record++) journal.append(`{"n":${record}}`);
    const first = journal.read(4, 1e6);
    expect(texts(first)).toEqual(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}']);
    journal.commit(first.slice(0, 3));
    expect(journal.pendingRecords).toBe(7);
    expect(texts(journal.read(2, 1e6))).toEqual(['{"n":3}', '{"n":4}']);
    journal.close();
  });

  test("starts new segments and deletes those that are done", () => {
    const journal = new Journal(directory.path, silentLog);
    const text = "x".repeat(100_000);
    for (let record = 0; record < 250; record++) journal.append(text);
    journal.write();
    expect(readdirSync(directory.path).length).toBeGreaterThan(2);
    for (let lines = journal.read(100, 4e6); lines.length > 0; lines = journal.read(100, 4e6)) journal.commit(lines);
    expect(readdirSync(directory.path)).toHaveLength(1);
    expect(journal.pendingRecords).toBe(0);
    expect(journal.bytes).toBe(0);
    journal.close();
  });

  test("what is appended in one turn survives the process when the turn is over, in one write", async () => {
    const path = join(directory.path, segmentName(1));
    const journal = new Journal(directory.path, silentLog);
    for (const text of ["first", "zweiter ü", "third"]) journal.append(text);
    expect(readLines(path, 0, 10, 1e6)).toEqual([]);
    await endOfTurn();
    expect(texts(readLines(path, 0, 10, 1e6))).toEqual(["first", "zweiter ü", "third"]);
    const lines = journal.read(2, 1e6);
    journal.commit(lines);
    expect(texts(readLines(path, lines.at(-1)?.end as number, 10, 1e6))).toEqual(["third"]);
    journal.close();
  });

  test("records of any size are written, many or few at a time", () => {
    const journal = new Journal(directory.path, silentLog);
    const written = Array.from({ length: 60 }, (_, index) => String(index % 10).repeat(1 + (index % 7) ** 6));
    for (const text of written) journal.append(text);
    expect(texts(journal.read(100, 1e9))).toEqual(written);
    const file = readLines(join(directory.path, segmentName(1)), 0, 100, 1e9);
    expect(texts(file)).toEqual(written);
    journal.close();
  });

  test("a disk that is full costs no record: they wait in memory, in order", () => {
    symlinkSync("/dev/full", join(directory.path, segmentName(1)));
    const journal = new Journal(directory.path, silentLog);
    for (const text of ["first", "second", "third"]) journal.append(text);
    journal.write();
    expect(journal.onDisk).toBe(false);
    expect(journal.pendingRecords).toBe(3);
    const lines = journal.read(2, 1e6);
    expect(texts(lines)).toEqual(["first", "second"]);
    journal.append("fourth");
    journal.commit(lines);
    expect(texts(journal.read(10, 1e6))).toEqual(["third", "fourth"]);
    expect(journal.pendingRecords).toBe(2);
    journal.close();
  });
});

describe("while the disk refuses records", () => {
  const refusing = () => {
    symlinkSync("/dev/full", join(directory.path, segmentName(1)));
    return new Journal(directory.path, silentLog);
  };

  test("a call waits until another place has its record, which is hurried", async () => {
    const journal = refusing();
    let copied = 0;
    let hurried = 0;
    journal.others = {
      copied: () => copied,
      hurry() {
        hurried += 1;
      },
    };
    copied = 1;
    await journal.append("first");
    expect([hurried, journal.isExposed]).toEqual([0, false]);
    const both = Promise.all([journal.append("second"), journal.append("third")]);
    let areSafe = false;
    void both.then(() => {
      areSafe = true;
    });
    copied = 2;
    await until(() => hurried === 1);
    expect(areSafe).toBe(false);
    copied = 3;
    await both;
    expect(journal.isExposed).toBe(false);
    journal.close();
  });

  test("no call is to be taken once a record has been in memory alone for a second", async () => {
    const journal = refusing();
    expect(journal.isExposed).toBe(false);
    void journal.append("first");
    await endOfTurn();
    expect(journal.isExposed).toBe(false);
    await until(() => journal.isExposed);
    journal.commit(journal.read(1, 1e6));
    expect([journal.isExposed, journal.pendingRecords]).toEqual([false, 0]);
    journal.close();
  });
});

describe("pump", () => {
  const sourceOf = (records: readonly string[]): RecordSource & { left(): number } => {
    let waiting: SegmentLine[] = records.map((text, index) => ({ text, end: index + 1 }));
    return {
      read: (most) => waiting.slice(0, most),
      commit: (lines) => {
        waiting = waiting.slice(lines.length);
      },
      left: () => waiting.length,
    };
  };
  const refusal = Object.assign(new Error("refused"), { code: "22P02" });

  test("puts aside only what the database refuses, and keeps the order", async () => {
    const records = Array.from({ length: 300 }, (_, index) => (index % 97 === 5 ? `bad ${index}` : `good ${index}`));
    const applied: string[] = [];
    const rejected: (string | null)[] = [];
    let tries = 0;
    const pump = new Pump(
      sourceOf(records),
      fakeSink({
        async apply(part, areNew) {
          expect(areNew).toBe(tries++ === 0);
          if (part.some((record) => record.startsWith("bad"))) throw refusal;
          applied.push(...part);
        },
        async reject({ text }) {
          rejected.push(text);
        },
      }),
    );
    while (await pump.step());
    expect(applied).toEqual(records.filter((record) => record.startsWith("good")));
    expect(rejected).toEqual(["bad 5", "bad 102", "bad 199", "bad 296"]);
  });

  /** The size of each batch that was tried, and what was put aside. */
  async function pumpOut(records: readonly string[], parts: Partial<RecordSink>) {
    const tries: number[] = [];
    const rejected: string[] = [];
    const apply = parts.apply ?? (async () => {});
    const sink = fakeSink({
      ...parts,
      async apply(part, areNew) {
        tries.push(part.length);
        await apply(part, areNew);
      },
      reject: async ({ text }, { reason }) => void rejected.push(`${text}: ${reason}`),
    });
    const pump = new Pump(sourceOf(records), sink);
    while (await pump.step());
    return { tries, rejected };
  }
  const failure = (code: string) => Object.assign(new Error(code), { code });

  test.each(["22021", "22P05", "23514", "54000", "54001"])("SQLSTATE %s puts one record aside", async (code) => {
    const apply = async (part: readonly string[]) => {
      if (part.includes("bad")) throw failure(code);
    };
    const { rejected } = await pumpOut(["a", "bad", "b"], {
      apply,
      takesOthers: () => Promise.reject(new Error("not asked")),
    });
    expect(rejected).toEqual([`bad: ${code}`]);
  });

  test.each([
    ["XX000", failure("XX000")],
    ["42883", failure("42883")],
    ["a text that is no record", new SyntaxError("no JSON")],
  ])("%s puts a record aside while the database takes others", async (_, error) => {
    const apply = async (part: readonly string[]) => {
      if (part.includes("bad")) throw error;
    };
    expect((await pumpOut(["bad"], { apply })).rejected).toEqual([`bad: ${error.message}`]);
    expect((await pumpOut(["a", "b", "bad", "c"], { apply })).rejected).toHaveLength(1);
    const takesOthers = async () => false;
    await expect(pumpOut(["a", "bad"], { apply, takesOthers })).rejects.toThrow(error.message);
  });

  test("a record that passes the second time is not at fault", async () => {
    let failures = 0;
    const apply = async () => {
      if (++failures === 1) throw failure("XX000");
    };
    expect((await pumpOut(["a"], { apply })).rejected).toEqual([]);
  });

  test.each(["08006", "40001", "53100", "57P01", "58030", "25006", "CONNECTION_CLOSED", "EPIPE", "ENOSPC"])(
    "%s is waited for",
    async (code) => {
      const apply = () => Promise.reject(failure(code));
      await expect(pumpOut(["a", "b"], { apply })).rejects.toThrow(code);
    },
  );

  test("many records at fault side by side cost a few tries each", async () => {
    const records = Array.from({ length: 1000 }, (_, index) => (index % 100 < 50 ? `bad ${index}` : `good ${index}`));
    const apply = async (part: readonly string[]) => {
      if (part.some((record) => record.startsWith("bad"))) throw refusal;
    };
    const { tries, rejected } = await pumpOut(records, { apply });
    expect(rejected).toHaveLength(500);
    expect(tries.length).toBeLessThan(1500);
  });

  test("what an operator wants aside is put aside when a batch fails, in its place", async () => {
    const applied: string[] = [];
    const rejected: string[] = [];
    let isAway = true;
    const pump = new Pump(
      sourceOf(["a", "b", "c", "d"]),
      fakeSink({
        async apply(part) {
          if (isAway) throw failure("57P03");
          applied.push(...part);
        },
        reject: async ({ text }, { reason }) => void rejected.push(`${text}: ${reason}`),
        findSetAside: async () => (text) => text === "a" || text === "c",
      }),
    );
    await expect(pump.step()).rejects.toThrow("57P03");
    await expect(pump.step()).rejects.toThrow("57P03");
    expect(rejected).toEqual([`a: ${SET_ASIDE_REASON}`]);
    isAway = false;
    while (await pump.step());
    expect(applied).toEqual(["b", "c", "d"]);
  });

  test("tries the same batch again after an outage, then not as new", async () => {
    const source = sourceOf(["a", "b"]);
    const tries: [boolean, ...string[]][] = [];
    const pump = new Pump(
      source,
      fakeSink({
        async apply(part, areNew) {
          tries.push([areNew, ...part]);
          if (tries.length === 1) throw Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
        },
      }),
    );
    await expect(pump.step()).rejects.toThrow("gone");
    expect(source.left()).toBe(2);
    await pump.step();
    expect(tries).toEqual([
      [true, "a", "b"],
      [false, "a", "b"],
    ]);
    expect(source.left()).toBe(0);
  });
});

test("a directory belongs to one", () => {
  const claim = makeClaimedDirectory(directory.path, "mine");
  expect(claimDirectory(join(directory.path, "mine"))).toBeNull();
  claim.release();
  const again = claimDirectory(join(directory.path, "mine"));
  expect(again).not.toBeNull();
  again?.release();
});
