import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { channels as channelTable } from "../../../../db/schema/channels/channels.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { SecretReferenceError } from "../../../lib/security/secret-references/reference.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import { createUser } from "../../accounts/identity/create-user.ts";
import { type ChannelDirectory, createChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS, storedKeyOf } from "../entry.ts";
import { createChannel, updateChannel } from "../manage/write-channel.ts";
import { disableChannelKey } from "./key-status.ts";
import { firstKey } from "./keys.ts";
import { listKeys } from "./manage-keys.ts";

const REFERENCE = "secret://aws/openai#key";
const OTHER = "secret://aws/other#key";

let database: TestDatabase;
let directory: ChannelDirectory;
let deps: Parameters<typeof createChannel>[0];
let root: { id: number; username: string; role: number };
const values = new Map<string, string>();
const read = async (reference: string) => {
  const value = values.get(reference);
  if (value === undefined) throw new SecretReferenceError(reference, "the manager does not answer");
  return value;
};

beforeAll(async () => {
  database = await openTestDatabase();
  const { db, changes } = database;
  deps = { db, changes, vault: createVault({ encryptionKey: "of these tests" }) };
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  directory = await createChannelDirectory({ ...deps, log, secrets: { refreshMs: 5, read } });
  const id = await createUser(db, { username: "boss", password: "correct horse", role: ROLE.root });
  root = { id, username: "boss", role: ROLE.root };
});
afterAll(async () => {
  directory.close();
  await database.close();
});
beforeEach(async () => {
  await database.db.delete(channelTable);
  values.clear();
});

const create = (key: string, actor: Parameters<typeof createChannel>[1] = root) =>
  createChannel(deps, actor, { name: "managed", key, models: "m" });
const entry = (id: number) => {
  const channel = directory.get(id);
  if (!channel) throw new Error("the channel is unknown");
  return channel;
};

test("a channel has the values of its references, and keeps them while the manager is away", async () => {
  values.set(REFERENCE, "sk-managed-value");
  const id = await create(`sk-own-key,${REFERENCE}`);
  expect(entry(id)).toMatchObject({ keys: ["sk-own-key", "sk-managed-value"], unresolved: [] });
  values.clear();
  await updateChannel(deps, root, id, { name: "renamed" });
  expect(entry(id)).toMatchObject({ name: "renamed", keys: ["sk-own-key", "sk-managed-value"] });
});

test("a replaced key is taken over; where the old one had failed, it is tried again", async () => {
  values.set(REFERENCE, "sk-first-value");
  const id = await create(REFERENCE);
  await disableChannelKey(deps, id, storedKeyOf(entry(id), "sk-first-value"), "401: revoked");
  expect(entry(id)).toMatchObject({ status: CHANNEL_STATUS.autoDisabled, disabledKeys: new Set(["sk-first-value"]) });
  values.set(REFERENCE, "sk-second-value");
  await until(() => entry(id).status === CHANNEL_STATUS.enabled);
  expect(entry(id)).toMatchObject({ keys: ["sk-second-value"], disabledKeys: new Set() });
});

test("a reference without a value is no key, is shown with the reason, and becomes one", async () => {
  const id = await create(OTHER);
  expect(entry(id)).toMatchObject({
    keys: [],
    unresolved: [{ reference: OTHER, reason: "the manager does not answer" }],
  });
  expect(() => firstKey(entry(id))).toThrow("channel_key_unresolved");
  const readLive = () => ({ inFlight: 0, calls: 0, failed: 0, latencyMs: null, slots: [], keys: [] });
  expect(await listKeys({ ...deps, readLive }, entry(id), "en")).toMatchObject([
    { index: 0, masked: "secret://aws/other#••••", status: 3, reason: "the manager does not answer" },
  ]);
  values.set(OTHER, "sk-late-value");
  await until(() => entry(id).keys.length > 0);
  expect(entry(id)).toMatchObject({ keys: ["sk-late-value"], unresolved: [] });
});

test("only the super administrator sets references, and only such that can be read", async () => {
  for (const role of [ROLE.admin, undefined]) {
    const actor = { id: root.id, username: "boss", ...(role && { role }) };
    await expect(create(REFERENCE, actor)).rejects.toThrow("channel_key_reference_denied");
    const id = await create("sk-own-key", actor);
    await expect(updateChannel(deps, actor, id, { key: REFERENCE })).rejects.toThrow("channel_key_reference_denied");
  }
  await expect(create("secret://keychain/openai")).rejects.toThrow("channel_key_reference_invalid");
});
