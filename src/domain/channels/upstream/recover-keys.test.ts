import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { channelKeys } from "../../../../db/schema/channels/channels.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import { createUser } from "../../accounts/identity/create-user.ts";
import { type ChannelDirectory, createChannelDirectory } from "../directory.ts";
import { disableChannelKey } from "../keys/key-status.ts";
import { createChannel } from "../manage/write-channel.ts";
import { setChannelStatus } from "../status/set-status.ts";
import { recoverKeys } from "./recover-keys.ts";

const GOOD = "sk-good-again-0001";
const BAD = "sk-still-bad-00002";

let database: TestDatabase;
let channels: ChannelDirectory;
let deps: Omit<Parameters<typeof recoverKeys>[0], "settings">;
let recovered: string[];
let requests: number;
let actor: { id: number; username: string };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    requests += 1;
    return request.headers.get("authorization") === `Bearer ${GOOD}`
      ? Response.json({ choices: [{ index: 0, message: { role: "assistant", content: "hi" } }] })
      : new Response("no", { status: 401 });
  },
});

beforeAll(async () => {
  database = await openTestDatabase();
  const vault = createVault({ encryptionKey: "of these tests" });
  const { db, changes } = database;
  channels = await createChannelDirectory({
    db,
    changes,
    vault,
    log: createLogger({ logLevel: "silent", logFormat: "json" }),
  });
  const fetch = createSafeFetch(createAddressPolicy(true));
  recovered = [];
  deps = { db, changes, vault, fetch, channels, onKeyRecovered: ({ name }) => recovered.push(name) };
  actor = { id: await createUser(db, { username: "op", password: "correct horse", role: ROLE.admin }), username: "op" };
});
afterAll(async () => {
  channels.close();
  await upstream.stop(true);
  await database.close();
});

const create = (name: string) =>
  createChannel(deps, actor, {
    name,
    key: `${GOOD},${BAD},sk-unused-0000003`,
    models: "m",
    base_url: upstream.url.origin,
  });
const offFor = (seconds: number) =>
  database.db.update(channelKeys).set({ statusTime: Math.floor(Date.now() / 1000) - seconds, probedTime: 0 });
const off = async (id: number) => [...(channels.get(id)?.disabledKeys ?? [])];
const run = (texts: Parameters<typeof fixedSettings>[0] = {}) => {
  requests = 0;
  return recoverKeys({ ...deps, settings: fixedSettings(texts) });
};

test("a key that works again comes back after a while, one that does not is tried again later", async () => {
  const id = await create("first");
  for (const key of [GOOD, BAD]) await disableChannelKey(deps, id, key, "401");
  await offFor(60);
  expect([await run(), requests]).toEqual([0, 0]);
  await offFor(3600);
  expect([await run({ ChannelKeyProbeMinutes: "0" }), requests]).toEqual([0, 0]);
  expect([await run(), requests]).toEqual([1, 2]);
  expect(await off(id)).toEqual([BAD]);
  expect(recovered).toEqual(["first"]);
  expect([await run(), requests]).toEqual([0, 0]);
});

test("keys switched off by hand, and those of channels that are off, are left alone", async () => {
  await database.db.delete(channelKeys);
  const id = await create("by hand");
  await disableChannelKey(deps, id, GOOD, "by op", 2);
  const stopped = await create("stopped");
  await disableChannelKey(deps, stopped, GOOD, "401");
  await setChannelStatus(deps, stopped, 2, "by op");
  await offFor(3600);
  expect([await run({ AutomaticEnableChannelEnabled: "true" }), requests]).toEqual([0, 0]);
  expect(await database.db.select().from(channelKeys).where(eq(channelKeys.channelId, id))).toHaveLength(1);
});

test("a channel that went off with its last key comes back with one, where settings allow", async () => {
  await database.db.delete(channelKeys);
  const id = await create("all off");
  for (const key of channels.get(id)?.keys ?? []) await disableChannelKey(deps, id, key, "401");
  expect(channels.get(id)?.status).toBe(3);
  await offFor(3600);
  expect([await run(), requests]).toEqual([0, 0]);
  await offFor(3600);
  expect(await run({ AutomaticEnableChannelEnabled: "true" })).toBe(1);
  expect(channels.get(id)).toMatchObject({ status: 1 });
  expect(await off(id)).toEqual([BAD, "sk-unused-0000003"]);
});
