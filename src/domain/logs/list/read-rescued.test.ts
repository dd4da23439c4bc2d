import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readRescued } from "./read-rescued.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** A call by its tries: channels, those that failed with a `-` before. */
const call = (modelName: string, tries: readonly number[], failed = false) => {
  const attempts = tries.map((channel) => ({
    channelId: Math.abs(channel),
    channelName: "c",
    status: channel < 0 ? 500 : 200,
    startMs: 0,
    firstByteMs: null,
    endMs: 1,
    ...(channel < 0 && { error: "out of order" }),
  }));
  const requestId = Bun.randomUUIDv7();
  const other = { request_id: requestId, admin_info: { use_channel: [], attempts } };
  return callRecord({ requestId, modelName, channelId: Math.abs(tries.at(-1) ?? 0), failed, other });
};

test("calls that another channel answered are found under the one that failed", async () => {
  await writeCalls(database, [
    call("rescued", [-7, 8]),
    call("twice", [-7, -9, 8]),
    call("rescuer", [7, 8]),
    call("well", [7]),
    call("of another", [-77, 8]),
    call("lost", [-7], true),
  ]);
  const found = async (channel: number, start = 0, limit = 10) =>
    (await readRescued(database.db, channel, start, limit)).map(({ model_name: model }) => model).sort();
  expect(await found(7)).toEqual(["rescued", "twice"]);
  expect(await found(9)).toEqual(["twice"]);
  expect(await found(8)).toEqual([]);
  expect(await found(7, nowSeconds() + 100)).toEqual([]);
  expect(await found(7, 0, 1)).toHaveLength(1);
});
