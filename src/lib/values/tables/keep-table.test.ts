import { expect, test } from "bun:test";
import { until } from "../../../../test/support/lib/until.ts";
import { createLogger } from "../../runtime/log.ts";
import { createSerial } from "../../runtime/serial.ts";
import { findRemoved, keepTable, MapCopy, type PageReader } from "./keep-table.ts";

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

type Named = Readonly<{ id: number; name: string }>;

/** A table whose first reading goes on page by page, as the test says, while rows change. */
function startSlowly(rows: Map<number, string>) {
  const pages: PromiseWithResolvers<readonly Named[]>[] = [];
  const copy = new MapCopy<Named>({});
  let notify: (ids: readonly number[]) => Promise<void> = async () => {};
  const named = (id: number): Named[] => (rows.has(id) ? [{ id, name: rows.get(id) ?? "" }] : []);
  const nextPage = async (): Promise<readonly Named[]> => {
    const page = Promise.withResolvers<readonly Named[]>();
    pages.push(page);
    return page.promise;
  };
  const started = keepTable<Named, "things">(
    {
      topic: "things",
      log,
      pageRows: 10,
      patienceMs: 1,
      changes: {
        subscribe: (_, handler) => {
          notify = handler;
          return () => {};
        },
        onGap: () => () => {},
      },
      read: async (selection) => ("ids" in selection ? selection.ids.flatMap(named) : []),
      async readAll({ take }: PageReader<Named>) {
        for (let page = await nextPage(); page.length > 0; page = await nextPage()) take(page);
      },
    },
    copy,
  );
  const deliver = async (page: readonly Named[]) => {
    pages.at(-1)?.resolve(page);
    await Bun.sleep(0);
  };
  return { started, copy, pages, deliver, changed: (id: number) => notify([id]) };
}

test("a first reading that takes long goes on in the background, and what changed meanwhile is newer than it", async () => {
  const rows = new Map([
    [1, "renamed"],
    [3, "as it was"],
  ]);
  const { started, copy, deliver, changed } = startSlowly(rows);
  const { isComplete, readNow, close } = await started;
  expect(isComplete()).toBe(false);
  await changed(1);
  await changed(2);
  await readNow(async () => [{ id: 4, name: "read by a call" }]);
  await deliver([
    { id: 1, name: "before" },
    { id: 2, name: "deleted since" },
    { id: 3, name: "as it was" },
    { id: 4, name: "before" },
  ]);
  await deliver([]);
  expect(isComplete()).toBe(true);
  expect([...copy.byId.values()].map(({ id, name }) => [id, name])).toEqual([
    [1, "renamed"],
    [4, "read by a call"],
    [3, "as it was"],
  ]);
  close();
});

test("a first reading that fails in the background is tried again", async () => {
  const { started, copy, pages, deliver } = startSlowly(new Map());
  const { isComplete, close } = await started;
  await deliver([{ id: 1, name: "first" }]);
  pages.at(-1)?.reject(new Error("cut"));
  await until(() => pages.length === 3);
  expect(isComplete()).toBe(false);
  await deliver([{ id: 1, name: "first" }]);
  await deliver([]);
  expect(isComplete()).toBe(true);
  expect(copy.size).toBe(1);
  close();
});

test("first readings of two tables run one after the other, and rest as long as they work once nobody waits for them", async () => {
  const inTurn = createSerial();
  const changes = { subscribe: () => () => {}, onGap: () => () => {} };
  const rests: number[] = [];
  const steps: string[] = [];
  const keep = (topic: string, patienceMs: number) =>
    keepTable<Named, string>(
      {
        ...{ topic, log, pageRows: 10, patienceMs, changes, inTurn, read: async () => [] },
        async readAll({ take, rest }) {
          steps.push(`${topic} begins`);
          for (let page = 0; page < 2; page += 1) {
            await Bun.sleep(40);
            take([{ id: page, name: topic }]);
            const began = performance.now();
            await rest();
            rests.push(performance.now() - began);
          }
          steps.push(`${topic} ends`);
        },
      },
      new MapCopy<Named>({}),
    );
  const tables = await Promise.all([keep("first", 60), keep("second", 60)]);
  await until(() => tables.every(({ isComplete }) => isComplete()));
  expect(steps).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  const [waitedFor = 0, ...inBackground] = rests;
  expect(waitedFor).toBeLessThan(20);
  for (const rest of inBackground) expect(rest).toBeGreaterThan(35);
  for (const { close } of tables) close();
});
