import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { tokenRow } from "../../../../test/support/gateway/entries.ts";
import type { ApiKeyEntry } from "./api-key-entry.ts";
import { ApiKeyTable } from "./api-key-table.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const entry = (id: number, input: Partial<ApiKeyEntry> = {}): ApiKeyEntry => ({
  id,
  userId: id * 2,
  projectId: id * 3,
  createdBy: id * 5,
  name: `key ${id}`,
  status: 1,
  unlimitedQuota: id % 2 === 0,
  expiredTime: -1,
  keyHash: hashOf(String(id)),
  modelLimits: null,
  allowIps: null,
  group: "",
  previousKeyHash: null,
  previousKeyUntil: 0,
  secretSince: id * 7,
  previousSecretSince: id * 5,
  strict: false,
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  budgetRenewsAt: 0,
  ...input,
});

test("gives back what was put, by id and by hash, among thousands", () => {
  const table = new ApiKeyTable();
  const special = entry(77, {
    ...{ status: 4, expiredTime: 4_000_000_000, group: "vip", strict: true, budgetRenewsAt: 9 },
    ...{ modelLimits: new Set(["gpt-4o"]), requestsPerMinute: 5, tokensPerMinute: 6 },
  });
  for (let id = 1; id <= 5000; id += 1) table.put(tokenRow(id === 77 ? special : entry(id)));
  expect(table.get(77)).toEqual(special);
  expect(table.findByHash(special.keyHash)).toEqual(special);
  for (let id = 1; id <= 5000; id += 1) {
    expect(table.findByHash(hashOf(String(id)))?.id).toBe(id);
    expect(table.get(id)?.userId).toBe(id * 2);
  }
  expect(table.get(5001)).toBeUndefined();
  expect(table.findByHash(hashOf("5001"))).toBeUndefined();
  expect(table.findByHash("")).toBeUndefined();
});

test("stays true through changes and removals in any order, as a Map does", () => {
  const table = new ApiKeyTable();
  const expected = new Map<number, ApiKeyEntry>();
  // A fixed sequence that looks like chance.
  let state = 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 30_000; round += 1) {
    const id = 1 + next(2000);
    if (next(3) === 0) {
      table.remove(id);
      expected.delete(id);
    } else {
      const put = entry(id, { keyHash: hashOf(`${id} ${next(3)}`), name: `round ${round}` });
      table.put(tokenRow(put));
      expected.set(id, put);
    }
  }
  for (let id = 1; id <= 2000; id += 1) {
    expect(table.get(id)).toEqual(expected.get(id));
    for (const version of [0, 1, 2]) {
      const hash = hashOf(`${id} ${version}`);
      expect(table.findByHash(hash)?.id).toBe(expected.get(id)?.keyHash === hash ? id : undefined);
    }
  }
});

test("a key before a rotation is found until the row forgets it", () => {
  const table = new ApiKeyTable();
  table.put(tokenRow(entry(1, { previousKeyHash: hashOf("old"), previousKeyUntil: 50 })));
  expect(table.findByHash(hashOf("old"))).toMatchObject({ id: 1, previousKeyUntil: 50 });
  table.put(tokenRow(entry(1)));
  expect(table.findByHash(hashOf("old"))).toBeUndefined();
  expect(table.findByHash(hashOf("1"))?.id).toBe(1);
});

test("a row that takes the place of a removed key is not found by that key's hash", () => {
  const table = new ApiKeyTable();
  const put = entry(1);
  table.put(tokenRow(put));
  expect([...table.rows()]).toEqual([tokenRow(put)]);
  table.remove(1);
  table.put(tokenRow(entry(2, { keyHash: "no hash" })));
  expect(table.findByHash(hashOf("1"))).toBeUndefined();
  expect(table.get(2)?.name).toBe("key 2");
});

test("a sweep removes what it did not see, and spares what came meanwhile", () => {
  const table = new ApiKeyTable();
  for (const id of [1, 2, 3]) table.put(tokenRow(entry(id)));
  const sweep = table.beginSweep();
  table.put(tokenRow(entry(1)));
  table.put(tokenRow(entry(9)));
  for (const id of sweep.missing()) table.remove(id);
  expect([1, 2, 3, 9].map((id) => table.get(id)?.id)).toEqual([1, undefined, undefined, 9]);
  expect(table.findByHash(hashOf("2"))).toBeUndefined();
});

test("of two sweeps at a time the first removes nothing that the second has yet to see", () => {
  const table = new ApiKeyTable();
  for (const id of [1, 2, 3]) table.put(tokenRow(entry(id)));
  const first = table.beginSweep();
  table.put(tokenRow(entry(1)));
  const second = table.beginSweep();
  table.put(tokenRow(entry(2)));
  for (const id of first.missing()) table.remove(id);
  expect([1, 2, 3].map((id) => table.get(id)?.id)).toEqual([1, 2, 3]);
  table.put(tokenRow(entry(1)));
  for (const id of second.missing()) table.remove(id);
  expect([1, 2, 3].map((id) => table.get(id)?.id)).toEqual([1, 2, undefined]);
});
