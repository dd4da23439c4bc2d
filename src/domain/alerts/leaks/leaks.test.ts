import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { eq } from "drizzle-orm";
import { keyLeaks, keyNetworks, tokens } from "../../../../db/schema/api-keys.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";

import { addToken, addUser, silentLog } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import type { SafeFetch, SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { getToken } from "../../api-keys/list-api-keys.ts";
import { sayNotice } from "../../notifications/message.ts";
import { findLeakedKeys } from "../conditions/leak-conditions.ts";
import { createKeyNetworks, MOST_NETWORKS } from "./key-networks.ts";
import { createLeakReports, type Verdict } from "./leak-reports.ts";

const KEYS_URL = "https://scanner.example/keys";
const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const scanner = generateKeyPairSync("ec", { namedCurve: "P-256" });
const impostor = generateKeyPairSync("ec", { namedCurve: "P-256" });
const vault = { keyedHash: (text: string) => createHash("sha256").update(`keyed ${text}`).digest("hex") };

let database: TestDatabase;
let userId = 0;
let tokenId = 0;
let fetches = 0;
let isAway = false;

const fetchKeys: SafeFetch = async () => {
  fetches += 1;
  if (isAway) throw new Error("away");
  const key = scanner.publicKey.export({ type: "spki", format: "pem" });
  const body = { public_keys: [{ key_identifier: "current", key, is_current: true }] };
  return { status: 200, headers: new Headers(), text: () => JSON.stringify(body) } as unknown as SafeResponse;
};
const reports = (options: Partial<Record<"LeakReportKeysUrl" | "DisableLeakedKeys", string>> = {}) =>
  createLeakReports({
    ...{ db: database.db, changes: database.changes, vault, fetch: fetchKeys, log: silentLog },
    settings: fixedSettings({ LeakReportKeysUrl: KEYS_URL, DisableLeakedKeys: "true", ...options }),
  });
const signed = (found: unknown, keyId = "current", key: KeyObject = scanner.privateKey) => {
  const body = JSON.stringify(found);
  return { body, keyId, signature: sign("sha256", Buffer.from(body), key).toString("base64") };
};
const found = (token: string, url = "https://github.com/o/r/blob/1/a.env") => ({ token, type: "key", url });
const tokenRow = async () => (await database.db.select().from(tokens).where(eq(tokens.id, tokenId)))[0];
const leakInList = async () => {
  const deps = { db: database.db, vault: { ...vault, decrypt: () => "" } as unknown as Vault };
  return (await getToken(deps, { id: userId, group: "default" }, tokenId)).leak;
};
const conditions = async (threshold = 5, now = NOW) =>
  (
    await findLeakedKeys(
      { db: database.db, settings: fixedSettings() },
      { owner: userId, organization: null, threshold, windowMinutes: 0, now, since: 0 },
    )
  ).map(({ notice }) => sayNotice(notice, "en", "").content);

beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 1000);
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const table of [keyLeaks, keyNetworks, tokens, logs]) await database.db.delete(table);
  tokenId = await addToken(database.sql, userId, null);
  const values = { keyHash: vault.keyedHash("secret"), name: "build" };
  await database.db.update(tokens).set(values).where(eq(tokens.id, tokenId));
  fetches = 0;
  isAway = false;
});

describe("a report", () => {
  test("disables the key once, says so in its owner's log, and is an alert for a day", async () => {
    const report = reports();
    const twice = [found("sk-secret"), found("sk-secret"), found("sk-nobodys")];
    const label = (token: string, isKey: boolean): Verdict => ({
      ...{ token_raw: token, token_type: "key", label: isKey ? "true_positive" : "false_positive" },
    });
    const verdicts = [label("sk-secret", true), label("sk-secret", true), label("sk-nobodys", false)];
    expect(await report(signed(twice))).toEqual(verdicts);
    expect(await report(signed(twice))).toEqual(verdicts);
    expect((await tokenRow())?.status).toBe(2);
    expect(await leakInList()).toEqual({ url: "https://github.com/o/r/blob/1/a.env", time: expect.any(Number) });
    expect((await database.db.select().from(logs)).map(({ content }) => content)).toEqual([
      "API key build was found at https://github.com/o/r/blob/1/a.env, and was disabled",
    ]);
    expect(fetches).toBe(1);
    expect(await conditions()).toEqual([
      "API key “build” was found at https://github.com/o/r/blob/1/a.env, and is disabled. Create a new one.",
    ]);
    expect(await conditions(5, NOW + 2 * DAY)).toEqual([]);
  });

  test("leaves the key enabled where the site says so, and stays an alert until the key is rotated", async () => {
    await reports({ DisableLeakedKeys: "false" })(signed([found("sk-secret-7")]));
    expect((await tokenRow())?.status).toBe(1);
    const later = NOW + 30 * DAY;
    expect(await conditions(5, later)).toEqual([expect.stringContaining("It still works")]);
    await database.db.update(tokens).set({ keyHash: "new", previousKeyHash: vault.keyedHash("secret") });
    expect(await conditions(5, later)).toEqual([]);
    expect(await leakInList()).toBeUndefined();
  });

  test("of the secret before a rotation ends that secret, not the key", async () => {
    const rotated = { keyHash: "new", previousKeyHash: vault.keyedHash("secret"), previousKeyUntil: NOW + DAY };
    await database.db.update(tokens).set(rotated);
    await reports()(signed([found("secret")]));
    expect(await tokenRow()).toMatchObject({ status: 1, previousKeyUntil: 0 });
  });

  test("counts only with a signature of the scanner over the very body", async () => {
    const report = reports();
    const good = signed([found("sk-secret")]);
    for (const bad of [
      signed([found("sk-secret")], "current", impostor.privateKey),
      signed([found("sk-secret")], "unknown"),
      { ...good, signature: "" },
      { ...good, body: good.body.replace("a.env", "b.env") },
      signed({ token: "sk-secret" }),
      signed([{ token: 7 }]),
    ]) {
      expect(await report(bad)).toBe("refused");
    }
    expect(await reports({ LeakReportKeysUrl: "" })(good)).toBe("off");
    isAway = true;
    expect(await reports()(good)).toBe("unavailable");
    expect((await tokenRow())?.status).toBe(1);
    // An identifier that is not known fetches the keys once a minute at most.
    expect(fetches).toBe(2);
  });

  test("anonymous reports fetch the keys once a minute at most, however many come and whatever the scanner answers", async () => {
    const bad = { body: "[]", keyId: "unknown", signature: "" };
    for (isAway of [true, false]) {
      fetches = 0;
      const report = reports();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => report(bad)));
      outcomes.push(await report(bad));
      expect(new Set(outcomes)).toEqual(new Set([isAway ? "unavailable" : "refused"]));
      expect(fetches).toBe(1);
    }
  });
});

describe("networks of a key", () => {
  test("many new ones within an hour are an alert, if the key is in use for a day", async () => {
    const networks = createKeyNetworks(database.db);
    networks.observe(tokenId, "10.0.0.1", NOW - 2 * DAY);
    networks.observe(tokenId, "10.0.0.2", NOW - 2 * DAY);
    await networks.save(NOW);
    for (let at = 1; at <= 4; at += 1) networks.observe(tokenId, `10.0.${at}.1`, NOW - 60);
    networks.observe(tokenId, "2001:db8:7::1", NOW - 60);
    networks.observe(tokenId, "2001:db8:7:1::9", NOW - 60);
    networks.observe(tokenId, "10.0.0.1", NOW - 60);
    networks.observe(tokenId, "", NOW - 60);
    networks.observe(tokenId + 1000, "10.0.0.1", NOW - 60);
    await networks.save(NOW);
    await networks.save(NOW);
    const rows = await database.db.select().from(keyNetworks).orderBy(keyNetworks.network);
    expect(rows.map(({ network, firstSeenAt, lastSeenAt }) => [network, firstSeenAt, lastSeenAt])).toEqual([
      ["10.0.0.0/24", NOW - 2 * DAY, NOW - 60],
      ...[1, 2, 3, 4].map((at) => [`10.0.${at}.0/24`, NOW - 60, NOW - 60]),
      ["2001:db8:7::/48", NOW - 60, NOW - 60],
    ]);
    expect(await conditions(6)).toEqual([]);
    expect(await conditions(5)).toEqual([expect.stringMatching(/“build” was used from 5 new networks/)]);
    expect(await conditions(5, NOW + 7200)).toEqual([]);
  });

  test("a new key, and one with very many, are none", async () => {
    const networks = createKeyNetworks(database.db);
    for (let at = 0; at < 20; at += 1) networks.observe(tokenId, `10.1.${at}.1`, NOW - 60);
    await networks.save(NOW);
    expect(await conditions()).toEqual([]);
    for (let at = 0; at < MOST_NETWORKS + 50; at += 1) {
      networks.observe(tokenId, `11.${at >> 8}.${at & 255}.1`, NOW - 2 * DAY);
    }
    await networks.save(NOW);
    networks.observe(tokenId, "12.0.0.1", NOW);
    await networks.save(NOW);
    const rows = await database.db.select().from(keyNetworks);
    expect(rows.some(({ network }) => network.startsWith("12."))).toBe(false);
    expect(await conditions()).toEqual([]);
  });

  test("are forgotten after 90 days without use", async () => {
    const networks = createKeyNetworks(database.db);
    networks.observe(tokenId, "10.0.0.1", NOW - 91 * DAY);
    networks.observe(tokenId, "10.0.1.1", NOW);
    await networks.save(NOW - 91 * DAY);
    await networks.save(NOW);
    expect((await database.db.select().from(keyNetworks)).map(({ network }) => network)).toEqual(["10.0.1.0/24"]);
  });
});
