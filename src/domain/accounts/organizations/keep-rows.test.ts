import { expect, test } from "bun:test";
import type { Changes } from "../../../../db/changes.ts";
import { NO_CHANGES } from "../../../../test/support/billing/no-changes.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { keepRows } from "./keep-rows.ts";

type Row = Readonly<{ id: number; name: string }>;

async function start(rows: Map<number, string>) {
  const handlers: ((ids: readonly (number | string)[]) => void | Promise<void>)[] = [];
  const gaps: (() => void | Promise<void>)[] = [];
  const changes: Changes = {
    ...NO_CHANGES,
    publish: async (_topic, ids) => void (await Promise.all(handlers.map((handler) => handler(ids)))),
    subscribe: (_topic, handler) => {
      handlers.push(handler);
      return () => {};
    },
    onGap: (handler) => {
      gaps.push(handler);
      return () => {};
    },
  };
  /** How many of the next readings of everything come back empty, as when a connection was cut. */
  const state = { empty: 0 };
  const read = async (ids?: readonly number[]): Promise<Row[]> => {
    if (!ids && state.empty > 0) {
      state.empty -= 1;
      return [];
    }
    const all = [...rows].map(([id, name]) => ({ id, name }));
    return ids ? all.filter(({ id }) => ids.includes(id)) : all;
  };
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const table = await keepRows({ changes, log, topic: "policies", read }, (found: readonly Row[]) =>
    found.map(({ id, name }) => `${id} ${name}`),
  );
  const readAgain = () => Promise.all(gaps.map((gap) => gap()));
  return { table, changes, state, readAgain };
}

test("rows that change, come and go are known after their event, in the order of ids", async () => {
  const rows = new Map([
    [2, "b"],
    [1, "a"],
  ]);
  const { table, changes } = await start(rows);
  expect(table.index).toEqual(["1 a", "2 b"]);
  rows.set(1, "A").set(3, "c").delete(2);
  await changes.publish("policies", [1, 2, 3]);
  expect(table.index).toEqual(["1 A", "3 c"]);
  table.close();
});

test("one empty reading removes nothing; what two readings miss is removed", async () => {
  const rows = new Map([[1, "a"]]);
  const { table, state, readAgain } = await start(rows);
  state.empty = 1;
  await readAgain();
  expect(table.index).toEqual(["1 a"]);
  rows.clear();
  await readAgain();
  expect(table.index).toEqual([]);
  table.close();
});
