import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Changes, createChanges } from "../../db/changes.ts";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/lib/until.ts";
import { createLogger } from "../lib/runtime/log.ts";
import { createVault, DecryptionError } from "../lib/security/crypto.ts";
import { decimal } from "../lib/values/decimal.ts";
import { createSettings } from "./settings.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const vault = createVault({ encryptionKey: "the key of the settings' tests" });
let database: TestDatabase;
const feeds: Changes[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  for (const feed of feeds) await feed.close();
  await database.close();
});

const startReplica = async (key = vault) => {
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  feeds.push(changes);
  return { changes, settings: await createSettings({ db: database.db, changes, vault: key, log }) };
};

describe("settings", () => {
  test("survive a restart, secrets too, but only under their key", async () => {
    const { settings } = await startReplica();
    await settings.set("EpayKey", "hush");
    await settings.set("GroupRatio", '{"default": 0.3}');
    settings.close();
    const restarted = (await startReplica()).settings;
    expect(restarted.get("EpayKey")).toBe("hush");
    expect(restarted.get("GroupRatio").get("default")).toEqual(decimal("0.3"));
    restarted.close();
    expect(startReplica(createVault({ encryptionKey: "another key altogether" }))).rejects.toThrow(DecryptionError);
  });

  test("many saves at once all last", async () => {
    const { settings } = await startReplica();
    const keys = ["QuotaForNewUser", "QuotaForInviter", "QuotaForInvitee", "PreConsumedQuota", "CheckInQuota"] as const;
    await Promise.all(keys.flatMap((key) => [1, 2, 3].map((value) => settings.set(key, String(value)))));
    const restarted = (await startReplica()).settings;
    for (const key of keys) expect(settings.get(key)).toBe(restarted.get(key));
    settings.close();
    restarted.close();
  });

  test.if(process.env.TEST_DATABASE_URL !== undefined)("reach the other replicas within moments", async () => {
    const [one, two] = [await startReplica(), await startReplica()];
    await one.settings.set("SystemName", "Renamed");
    await until(() => two.settings.get("SystemName") === "Renamed");
    one.settings.close();
    two.settings.close();
  });
});
