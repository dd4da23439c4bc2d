import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { abilities, type ChannelOtherInfo, channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import { createUser } from "../../accounts/identity/create-user.ts";
import { disableChannelKey } from "../keys/key-status.ts";
import { getChannel } from "../manage/channel-view.ts";
import { setTagStatus } from "../manage/tags.ts";
import { createChannel, updateChannel } from "../manage/write-channel.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { fixAbilities } from "../routing/abilities.ts";
import { setChannelStatus } from "./set-status.ts";

let database: TestDatabase;
let deps: ChannelDeps;
let actor: Actor;

beforeAll(async () => {
  database = await openTestDatabase();
  deps = { db: database.db, changes: database.changes, vault: createVault({ encryptionKey: "of these tests" }) };
  const id = await createUser(database.db, { username: "op", password: "correct horse", role: ROLE.admin });
  actor = { id, username: "op" };
});
afterAll(() => database.close());

const create = (key: string) => createChannel(deps, actor, { name: "c", key, models: "a,b", group: "default,vip" });
const read = async (id: number) => (await deps.db.select().from(channels).where(eq(channels.id, id)))[0];
const keysOff = (id: number) => deps.db.select().from(channelKeys).where(eq(channelKeys.channelId, id));
const abilitiesOf = (id: number) => deps.db.select().from(abilities).where(eq(abilities.channelId, id));

test("of many that report the same failure one makes the transition", async () => {
  const id = await create("k1");
  const reports = Array.from({ length: 12 }, (_, i) => setChannelStatus(deps, id, 3, `report ${i}`, 1));
  expect((await Promise.all(reports)).filter(Boolean)).toHaveLength(1);
  expect((await abilitiesOf(id)).map(({ enabled }) => enabled)).toEqual([false, false, false, false]);
});

test("a channel whose keys all fail at the same time goes off, and comes back with all of them", async () => {
  const keys = ["k1", "k2", "k3", "k4"];
  const id = await create(keys.join(","));
  const failures = [...keys, ...keys].map((key) => disableChannelKey(deps, id, key, `${key} is refused`));
  expect((await Promise.all(failures)).filter(Boolean)).toHaveLength(4);
  const row = await read(id);
  expect(row).toMatchObject({ status: 3, otherInfo: { status_reason: expect.stringMatching(/^k\d is refused$/) } });
  expect((await abilitiesOf(id)).some(({ enabled }) => enabled)).toBe(false);
  expect(await setChannelStatus(deps, id, 1, "", 3)).toBe(true);
  expect(await keysOff(id)).toEqual([]);
});

test("a channel that was disabled automatically and came back remembers when, the last 20 times", async () => {
  const id = await create("k1");
  await setChannelStatus(deps, id, 3, "failed", 1);
  await setChannelStatus(deps, id, 1, "", 3);
  const off = (await read(id))?.otherInfo.outages?.[0]?.off;
  expect((await read(id))?.otherInfo).toEqual({
    outages: [{ off: off ?? 0, on: expect.any(Number), recovered: true }],
  });
  await setChannelStatus(deps, id, 2, "by hand");
  await setChannelStatus(deps, id, 1);
  expect((await read(id))?.otherInfo.outages).toHaveLength(1);
  for (let count = 0; count < 20; count++) {
    await setChannelStatus(deps, id, 3, "failed", 1);
    await setChannelStatus(deps, id, 1);
  }
  const outages = (await read(id))?.otherInfo.outages ?? [];
  expect([outages.length, outages.some(({ recovered }) => recovered)]).toEqual([20, false]);
});

test("a channel with a key left goes on", async () => {
  const id = await create("k1,k2");
  expect(await disableChannelKey(deps, id, "k1", "401")).toBe(true);
  expect(await disableChannelKey(deps, id, "k1", "401")).toBe(false);
  expect((await read(id))?.status).toBe(1);
});

test("a channel somebody switched off by hand is not switched off again with its last key", async () => {
  const id = await create("k1");
  await setChannelStatus(deps, id, 2, "by hand");
  expect(await disableChannelKey(deps, id, "k1", "401")).toBe(true);
  expect(await read(id)).toMatchObject({ status: 2, otherInfo: { status_reason: "by hand" } });
});

test("a reason of ours is stored in English for tools, and by its code for readers of other languages", async () => {
  const id = await create("k1");
  await deps.db
    .update(channels)
    .set({ otherInfo: { note: "kept" } })
    .where(eq(channels.id, id));
  const reason = { code: "why_test_slow", params: { seconds: "6.1", limit: 5 } } as const;
  await setChannelStatus(deps, id, 3, reason);
  expect((await read(id))?.otherInfo).toEqual({
    note: "kept",
    status_reason: "The test took 6.1 s; the limit is 5 s",
    status_note: reason,
    status_time: expect.any(Number),
  });
  const reported = async (language: "en" | "zh") => (await getChannel(deps, actor, id, { language })).disabled_reason;
  expect(await reported("zh")).toBe("测试用时 6.1 秒，超过上限 5 秒");
  await setChannelStatus(deps, id, 2, "401: no such key");
  expect((await read(id))?.otherInfo).not.toHaveProperty("status_note");
  expect(await reported("zh")).toBe("401: no such key");
  await setChannelStatus(deps, id, 1);
  expect((await read(id))?.otherInfo).toEqual({ note: "kept" });
  expect(await reported("zh")).toBe("");
});

test("a channel that went off with its tag says so", async () => {
  const id = await create("k1");
  await updateChannel(deps, actor, id, { tag: "east" });
  await setTagStatus(deps, actor, "east", 2);
  expect((await read(id))?.otherInfo).toMatchObject({ status_reason: "Tag east disabled by op" });
  expect((await getChannel(deps, actor, id, { language: "zh" })).disabled_reason).toBe("标签 east 由 op 手动禁用");
});

test("what an older release or another gateway wrote is shown as it is", async () => {
  const id = await create("k1");
  const reasonShown = async (otherInfo: ChannelOtherInfo) => {
    await deps.db.update(channels).set({ status: 3, otherInfo }).where(eq(channels.id, id));
    return (await getChannel(deps, actor, id, { language: "zh" })).disabled_reason;
  };
  expect(await reasonShown({ status_reason: "The test took 9 s", status_time: 1 })).toBe("The test took 9 s");
  expect(await reasonShown({})).toBe("");
});

test("a late failure of a key that was replaced, or of a channel that was deleted, changes nothing", async () => {
  const id = await create("k1,k2");
  await updateChannel(deps, actor, id, { key: "k3,k4" });
  expect(await disableChannelKey(deps, id, "k1", "401")).toBe(false);
  expect(await keysOff(id)).toEqual([]);
  expect(await disableChannelKey(deps, 999_999, "k1", "401")).toBe(false);
});

test("abilities stay whole when channels are edited and fixed at the same time", async () => {
  const ids = await Promise.all(["k1", "k2", "k3"].map(create));
  await Promise.all([
    ...ids.flatMap((id) => [
      updateChannel(deps, actor, id, { models: "a,b,c" }),
      updateChannel(deps, actor, id, { priority: 3 }),
    ]),
    ...Array.from({ length: 4 }, () => fixAbilities(deps, actor)),
  ]);
  for (const id of ids) {
    const rows = await abilitiesOf(id);
    expect(rows.map(({ group, model }) => `${group}/${model}`).sort()).toEqual(
      ["default", "vip"].flatMap((group) => ["a", "b", "c"].map((model) => `${group}/${model}`)),
    );
    expect(rows.every(({ priority }) => priority === 3)).toBe(true);
  }
});
