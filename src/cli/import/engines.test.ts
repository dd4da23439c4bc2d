import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createChanges } from "../../../db/changes.ts";
import { listLogMonths } from "../../../db/maintenance/partitions.ts";
import type { Database } from "../../../db/types.ts";
import { MARIADB, startEngines } from "../../../test/support/import/import-engines.ts";
import { fillLiteLlm, LITELLM_KEYS, SALT_KEY } from "../../../test/support/import/litellm.ts";
import type { Engine } from "../../../test/support/import/real-schemas.ts";
import { CHINESE, DELETED_KEY, LIMITED_KEY, ROWS_OF } from "../../../test/support/import/rows.ts";
import {
  CHANNEL_KEY,
  contents,
  expectBooksRight,
  expectCovered,
  fill,
  KEYS,
} from "../../../test/support/import/start-import.ts";
import { verifyPassword } from "../../domain/accounts/identity/passwords.ts";
import { createApiKeyDirectory } from "../../domain/api-keys/directory/index.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { loadOptions } from "../../settings/store.ts";
import type { Kin } from "./coverage/detect-family.ts";
import { type Report, writeReport } from "./report.ts";
import { runImport } from "./run-import.ts";

const vault = createVault({ encryptionKey: "the key of the importer's tests" });
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const MARCH_1 = 1_740_830_400;
const ENGINES: readonly Engine[] = MARIADB === null ? ["SQLite", "Postgres"] : ["SQLite", "Postgres", "MariaDB"];
if (MARIADB === null) process.stderr.write("MariaDB is not installed (package mariadb-server): left out\n");

let engines: Awaited<ReturnType<typeof startEngines>>;
beforeAll(async () => {
  engines = await startEngines();
}, 240_000);
afterAll(() => engines.stop(), 60_000);

/** Rows that come over of each kind, and the quota in them at the source. */
const COUNTS = {
  "one-api": { tokens: [5, 4], channels: [5, 4], codes: [2, 2], options: [10, 8], codesQuota: 750_000 },
  "new-api": { tokens: [6, 4], channels: [4, 4], codes: [3, 2], options: [8, 6], codesQuota: 750_000 },
  Veloera: { tokens: [6, 4], channels: [4, 4], codes: [4, 3], options: [8, 6], codesQuota: 750_100 },
} as const;

describe.each(ENGINES)("an import from %s", (engine) => {
  test.each(["one-api", "new-api", "Veloera"] as const)(
    "as %s leaves it",
    async (family) => {
      const name = `${engine}_${family.replace("-", "_")}`.toLowerCase();
      const source = await engines.makeSource(engine, name, (run) => fill(run, engine, family, ROWS_OF[family]));
      const database = await engines.openTarget(name);
      const run = async (isDry: boolean) => {
        const result = await runImport({ database, vault }, source, { isDry, withLogs: true });
        expect(result.family).toBe(family);
        return result.report;
      };
      try {
        const empty = await contents(database);
        const announced = await run(true);
        expect(await contents(database)).toBe(empty);

        const report = await run(false);
        expectReport(report, family);
        expectCovered(report, family);
        expect(countsOf(announced)).toEqual(countsOf(report));
        expect(writeReport(announced, true)).toContain("users: 4 at the source, 4 to add, 0 here already");
        await expectUsers(database, family);
        await expectKeys(database, family);
        await expectChannels(database, family);
        await expectCodes(database, family);
        await expectOptions(database, family);
        if (family === "new-api") await expectPlans(database, report);
        await expectLog(database, family);
        await expectBooksRight(database);

        const after = await contents(database);
        const again = await run(false);
        for (const [kind, { added }] of again.sections) expect({ kind, added }).toEqual({ kind, added: 0 });
        expect(await contents(database)).toBe(after);
      } finally {
        await database.close();
      }
    },
    60_000,
  );
});

test("an import from LiteLLM: keys by their hashes, teams, budgets, deployments in clear, spend to the unit", async () => {
  const source = await engines.makeSource("Postgres", "litellm", fillLiteLlm);
  const database = await engines.openTarget("litellm");
  const run = async (choices: { isDry?: boolean; env?: Record<string, string> } = {}) => {
    const env = { LITELLM_SALT_KEY: SALT_KEY, AZURE_KEY: "azure-key", ...choices.env };
    const options = { isDry: choices.isDry ?? false, withLogs: true, balanceUsd: 100, env };
    return (await runImport({ database, vault }, source, options)).report;
  };
  try {
    const empty = await contents(database);
    const announced = await run({ isDry: true });
    expect(await contents(database)).toBe(empty);
    const report = await run();
    expectCovered(report, "LiteLLM");
    expect(countsOf(report).map(({ kind, read, added }) => `${kind} ${added}/${read}`)).toEqual([
      ...["users 5/5", "members 2/3", "channels 4/4", "API keys 4/4", "projects 1/1", "budgets 3/3"],
      ...["options 1/1", "log 3/3"],
    ]);
    const compared = (from: Report) =>
      countsOf(from).map(({ kind, added, before, skipped }) => ({ kind, added, before, skipped }));
    expect(compared(announced)).toEqual(compared(report));
    for (const [kind, { before, after }] of report.sections) expect({ kind, after }).toEqual({ kind, after: before });
    expect([...report.section("channels").skipped.keys()].join("; ")).toMatch(
      /odd: the provider sagemaker has no counterpart.*lost: its values cannot be decrypted: set LITELLM_SALT_KEY/,
    );
    await expectLiteLlm(database);
    await expectBooksRight(database);
    const after = await contents(database);
    const again = await run();
    for (const [kind, { added }] of again.sections) expect({ kind, added }).toEqual({ kind, added: 0 });
    expect(await contents(database)).toBe(after);
    await expectRemovedStays(database, run);
  } finally {
    await database.close();
  }
}, 60_000);

/** What was removed or renamed here since the first import does not come back. */
async function expectRemovedStays({ sql }: Database, run: () => Promise<Report>): Promise<void> {
  const read = async () => [
    await sql`select organization_id, user_id, role from organization_members order by 1, 2`,
    await sql`select scope, scope_id, period from budgets where deleted_at is null order by 1, 2`,
    await sql`select name from projects order by id`,
    await sql`select name from policies order by id`,
  ];
  await sql`delete from organization_members where user_id = 1`;
  await sql`update budgets set deleted_at = 1, renews_at = 0 where scope in ('organization', 'member')`;
  await sql`update projects set name = 'Assistant'`;
  await sql`delete from policies`;
  const left = await read();
  expect(left.map((rows) => rows.length)).toEqual([1, 1, 1, 0]);
  for (const [kind, { added }] of (await run()).sections) expect({ kind, added }).toEqual({ kind, added: 0 });
  expect(await read()).toEqual(left);
  await sql`delete from budgets`;
  await sql`update tokens set project_id = null`;
  await sql`delete from projects`;
  const report = await run();
  expect(report.section("projects").remarks.get("removed here, stays so")).toBe(1);
  expect((await read()).map((rows) => rows.length)).toEqual([1, 0, 0, 0]);
}

async function expectLiteLlm(database: Database): Promise<void> {
  const { sql } = database;
  const accounts =
    await sql`select display_name, kind, role, status, quota::bigint as quota, used_quota::bigint as used, username,
    max_concurrency, requests_per_minute from users order by id`;
  expect(accounts.map((row) => [row.display_name, row.kind, row.role, Number(row.quota), Number(row.used)])).toEqual([
    ["Root", "person", 10, 50_000_000, 0],
    ["alice@acme.example", "person", 1, 4_950_000, 50_000],
    ["Core team", "organization", 1, 50_000_000, 6_250_000],
    ["Fixed", "organization", 1, 1_875_000, 0],
    ["", "organization", 1, 50_000_000, 0],
  ]);
  expect(accounts[1]?.username).toMatch(/^alice-[0-9a-z]{5}$/);
  expect(accounts[1]).toMatchObject({ max_concurrency: 4, requests_per_minute: 60 });
  const members = await sql`select organization_id, user_id, role from organization_members order by user_id desc`;
  expect(members.map(({ user_id, role }) => [user_id, role])).toEqual([
    [2, "owner"],
    [1, "developer"],
  ]);
  const [policy] = await sql`select rules from policies`;
  expect(policy?.rules).toMatchObject({ models: ["gpt-4o", "claude*"] });
  const budgets =
    await sql`select scope, period, limit_units::bigint as l, remaining::bigint as r, spent::bigint as s from budgets order by id`;
  expect(budgets.map((row) => [row.scope, row.period, ...[row.l, row.r, row.s].map(Number)])).toEqual([
    ["organization", "month", 25_000_000, 18_750_000, 6_250_000],
    ["member", "week", 1_500_000, 1_000_000, 500_000],
    ["project", "total", 10_000_000, 9_000_000, 1_000_000],
  ]);
  const channels = await sql`select * from channels order by id`;
  expect(channels.map(({ type, base_url, other, models }) => [type, base_url, other, models])).toEqual([
    [1, "", "", ["gpt-4o", "gpt-4o-mini"]],
    [14, "", "", ["claude"]],
    [3, "https://acme.openai.azure.com", "2025-01-01-preview", ["my-azure"]],
    [1006, "http://10.0.0.5:8000", "", ["local"]],
  ]);
  expect(channels.map(({ key_cipher }) => vault.decrypt(String(key_cipher)))).toEqual([
    "sk-openai",
    "sk-ant",
    "azure-key",
    "none",
  ]);
  expect(channels.map(({ model_mapping }) => model_mapping)).toEqual([
    ...["", '{"claude":"claude-sonnet-5"}', '{"my-azure":"prod-gpt"}', '{"local":"qwen"}'],
  ]);
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  const directory = await createApiKeyDirectory({ ...database, changes, vault, log });
  try {
    const of = (key: string) => directory.findByKey(key.replace("sk-", ""));
    expect(of(LITELLM_KEYS.alice)).toMatchObject({
      userId: 2,
      name: "hers",
      requestsPerMinute: 10,
      tokensPerMinute: 2000,
    });
    expect([...(of(LITELLM_KEYS.alice)?.modelLimits ?? [])]).toEqual(["gpt-4o"]);
    expect(of(LITELLM_KEYS.team)).toMatchObject({
      userId: 3,
      createdBy: 2,
      projectId: 1,
      modelLimits: null,
      unlimitedQuota: true,
    });
    expect(of(LITELLM_KEYS.nobody)).toMatchObject({ userId: 5, unlimitedQuota: false });
    expect(of(LITELLM_KEYS.old)?.status).toBe(2);
    expect(of("sk-console")).toBeUndefined();
    // The hash itself, which anybody who reads LiteLLM's database has, is no key.
    const [stored] = await sql`select key_hash from tokens where id = 1`;
    expect(of(String(stored?.key_hash))).toBeUndefined();
    expect(await directory.reread(LITELLM_KEYS.alice.replace("sk-", ""))).toMatchObject({ userId: 2 });
  } finally {
    directory.close();
    await changes.close();
  }
  const [key] = await sql`select * from tokens where name = 'hers'`;
  expect(key).toMatchObject({ budget_period: "day", key_cipher: "", expired_time: 4_102_444_800 });
  expect([key?.budget_quota, key?.remain_quota].map(Number)).toEqual([1_000_000, 950_000]);
  const logs =
    await sql`select model_name, quota::bigint as quota, failed, elapsed_ms, channel_id, end_user, tags from logs order by created_at`;
  expect(logs.map((row) => [row.model_name, Number(row.quota), row.failed, row.elapsed_ms, row.channel_id])).toEqual([
    ["gpt-4o", 6_125_000, false, 1500, 1],
    ["gpt-4o", 1, false, 1000, 1],
    ["gpt-4o", 0, true, 1000, 1],
  ]);
  expect(logs.map((row) => [row.end_user, row.tags])).toEqual([
    ["person-1", ["beta"]],
    [null, null],
    [null, null],
  ]);
}

const countsOf = ({ sections }: Report) =>
  [...sections].map(([kind, { read, added, present, before, skipped }]) => ({
    kind,
    read,
    added,
    present,
    before,
    skipped,
  }));

function expectReport(report: Report, family: Kin): void {
  const { tokens, channels, codes, options, codesQuota } = COUNTS[family];
  const of = (kind: string) => report.section(kind);
  const users = of("users");
  expect(users).toMatchObject({ read: 4, added: 4, present: 0, before: 2_600_000_040, after: 2_600_000_040 });
  expect([...users.remarks.keys()]).toEqual(["overdrawn by 25, now 0"]);
  expect(of("API keys")).toMatchObject({ read: tokens[0], added: tokens[1], before: 5070, after: 5070 });
  expect(of("API keys").skipped.get("the owner did not come over")).toBe(1);
  expect(of("channels")).toMatchObject({ read: channels[0], added: channels[1] });
  expect(of("redemption codes")).toMatchObject({
    read: codes[0],
    added: codes[1],
    before: codesQuota,
    after: codesQuota,
  });
  expect(of("options")).toMatchObject({ read: options[0], added: options[1] });
  expect([...of("options").skipped.keys()].join()).toMatch(/Nonsense is unknown here.*RetryTimes/s);
  expect(of("log")).toMatchObject({ read: 5, added: 5, present: 0, before: 1500, after: 1500 });
}

async function expectUsers({ sql }: Database, family: Kin): Promise<void> {
  const [sums] = await sql`select sum(quota) as quota, sum(used_quota) as used from users`;
  expect({ quota: Number(sums?.quota), used: Number(sums?.used) }).toEqual({ quota: 2_600_000_040, used: 2210 });
  const [alice] = await sql`select * from users where username = 'alice'`;
  const isVeloera = family === "Veloera";
  expect(alice).toMatchObject({
    id: 7,
    group: "vip",
    inviter_id: 1,
    email: "alice@example.com",
    used_quota: 1500,
    last_check_in_day: isVeloera ? "2025-03-02" : null,
  });
  const tokens = await sql`select token_hash from access_tokens where user_id = 7`;
  expect(tokens.map(({ token_hash }) => token_hash)).toEqual(
    family === "one-api" ? [] : [vault.keyedHash("fedcba9876543210fedcba9876543210")],
  );
  expect(await verifyPassword("correct horse", String(alice?.password_hash))).toBe(true);
  const [struck] = await sql`select * from users where username = 'struck'`;
  if (family === "one-api") expect(struck).toMatchObject({ quota: 40, deleted_at: expect.any(Number) });
  else {
    expect(struck).toMatchObject({ aff_count: 2, aff_quota: 30, aff_history_quota: 50, deleted_at: MARCH_1 });
    const setting = struck?.setting as { notify_type: string; webhook_secret: string };
    expect([setting.notify_type, vault.decrypt(setting.webhook_secret)]).toEqual(["webhook", "hush"]);
  }
  const bound = await sql`select user_id, provider, subject from identities order by user_id`;
  expect(bound.map(({ user_id, provider, subject }) => `${user_id} ${provider} ${subject}`)).toEqual(
    family === "one-api" ? ["7 github gh-7"] : ["7 github gh-7", "11 telegram tg-11"],
  );
}

async function expectKeys(database: Database, family: Kin): Promise<void> {
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  const directory = await createApiKeyDirectory({ ...database, changes, vault, log });
  try {
    expect(directory.findByKey(KEYS.alice)).toMatchObject({ id: 4, userId: 7, status: 1, expiredTime: 1_900_000_000 });
    expect(directory.findByKey(KEYS.root)).toMatchObject({ id: 3, userId: 1, unlimitedQuota: true, modelLimits: null });
    expect(directory.findByKey(KEYS.spent)).toMatchObject({ userId: 8, status: 4, unlimitedQuota: false });
    const limited = directory.findByKey(LIMITED_KEY);
    expect(limited).toMatchObject({ id: 12, group: family === "one-api" ? "" : "vip" });
    expect([...(limited?.modelLimits ?? [])]).toEqual(["gpt-4o", "gpt-4o-mini"]);
    expect(["10.1.2.3", "192.0.2.1", "192.0.2.2"].map((ip) => limited?.allowIps?.matches(ip))).toEqual([
      true,
      true,
      false,
    ]);
    expect(directory.findByKey(DELETED_KEY)).toBeUndefined();
  } finally {
    directory.close();
    await changes.close();
  }
  const [token] = await database.sql`select remain_quota, used_quota from tokens where id = 4`;
  expect(token).toMatchObject({ remain_quota: 5000, used_quota: 1500 });
}

async function expectChannels({ sql }: Database, family: Kin): Promise<void> {
  const [first] = await sql`select * from channels where id = 2`;
  expect(first).toMatchObject({
    name: "First",
    base_url: "https://up.example",
    priority: 5,
    weight: 13,
    used_quota: 2200,
  });
  expect(vault.decrypt(String(first?.key_cipher))).toBe(CHANNEL_KEY);
  expect((await sql`select 1 from abilities where channel_id = 2 and enabled`).length).toBe(4);
  const [mistral] = await sql`select * from channels where id = 6`;
  expect(mistral).toMatchObject({ type: 42, weight: 10, priority: 0, status: 1 });
  expect(Number(mistral?.balance)).toBe(12.5);
  if (family === "one-api") {
    const [bedrock] = await sql`select type, key_cipher from channels where id = 8`;
    expect([bedrock?.type, vault.decrypt(String(bedrock?.key_cipher))]).toEqual([33, "A|S|us-east-1"]);
    return;
  }
  expect(mistral).toMatchObject({ tag: "eu", auto_ban: false, openai_organization: "org" });
  expect(mistral?.model_prefix).toBe(family === "Veloera" ? "eu/" : "");
  expect(mistral?.model_mapping).toBe('{"large":"mistral-large"}');
  expect(mistral?.status_code_mapping).toBe('{"429":"503"}');
  const [odd] = await sql`select status from channels where id = 7`;
  expect(odd?.status).toBe(2);
}

async function expectCodes({ sql }: Database, family: Kin): Promise<void> {
  const codes = await sql`select key, status, quota from redemption_codes where id < 3 order by id`;
  expect(codes.map(({ key, status, quota }) => [key, status, Number(quota)])).toEqual([
    ["unused-code", 1, 500_000],
    ["used-code", 3, 250_000],
  ]);
  const uses = await sql`select code_id, user_id, quota from redemption_uses order by code_id`;
  const rows = uses.map(({ code_id, user_id, quota }) => [code_id, user_id, Number(quota)]);
  const used = [2, 7, 250_000];
  expect(rows).toEqual({ "one-api": [], "new-api": [used], Veloera: [used, [3, 7, 100]] }[family]);
  if (family !== "Veloera") return;
  const [party] = await sql`select * from redemption_codes where key = 'party'`;
  expect(party).toMatchObject({
    id: 3,
    is_gift: true,
    max_uses: 5,
    used_count: 2,
    valid_from: 1_700_000_000,
    valid_until: 1_900_000_000,
  });
}

async function expectOptions({ db, sql }: Database, family: Kin): Promise<void> {
  const stored = await loadOptions(db, vault);
  const json = (key: Parameters<typeof stored.get>[0]) => JSON.parse(stored.get(key) ?? "null");
  expect([stored.get("SystemName"), stored.get("SMTPToken")]).toEqual(["Old Name", "mail-secret"]);
  expect(json("GroupRatio")).toEqual({ default: 1, vip: 0.5 });
  expect(json("ModelRatio")).toEqual({ "gpt-4o": 1.25 });
  expect(json("CompletionRatio")).toEqual({ m: 3 });
  expect(json("ModelPrice")).toEqual({ draw: 0.04 });
  expect(json("ContextTiers")).toEqual({});
  expect(json("PriceHours")).toEqual({});
  const [secret] = await sql`select value from options where key = 'SMTPToken'`;
  expect(String(secret?.value)).not.toContain("mail-secret");
  if (family !== "one-api") return;
  expect(stored.get("oidc.client_id")).toBe("client");
  expect(json("Chats")).toEqual([{ Chat: "https://chat.example" }]);
}

async function expectPlans({ sql }: Database, report: Report): Promise<void> {
  const of = (kind: string) => report.section(kind);
  expect(of("plans")).toMatchObject({ read: 2, added: 1 });
  expect([...of("plans").skipped.keys()]).toEqual(["Endless: unlimited quota has no counterpart here"]);
  expect(of("subscriptions")).toMatchObject({ read: 2, added: 1, before: 0, after: 0 });
  const [plan] = await sql`select * from plans`;
  expect(plan).toMatchObject({ name: "Pro", period: "month", window: "day", user_group: "vip", is_visible: true });
  expect([plan?.price, plan?.window_quota].map(Number)).toEqual([4_995_000, 5_000_000]);
  const [subscription] = await sql`select * from subscriptions`;
  expect(subscription).toMatchObject({ user_id: 7, status: "active", period_end: 4_000_000_000, cancel_at_end: true });
  const [account] = await sql`select plan_group, own_group from plan_accounts where user_id = 7`;
  expect(account).toMatchObject({ plan_group: "vip", own_group: "default" });
}

async function expectLog({ sql }: Database, family: Kin): Promise<void> {
  const rows = await sql`select * from logs order by created_at`;
  expect(rows[0]).toMatchObject({
    user_id: 7,
    channel_id: 2,
    username: "alice",
    quota: 900,
    created_at: 1_735_690_000,
  });
  expect(rows[2]).toMatchObject({ type: 1, content: "topped up", quota: 1000 });
  const isOld = family === "one-api";
  expect(rows[3]).toMatchObject({
    content: CHINESE,
    is_stream: true,
    elapsed_ms: isOld ? 1234 : 3000,
    use_time: isOld ? 1 : 3,
    token_id: isOld ? 0 : 4,
    group: isOld ? "" : "vip",
    other: isOld ? "" : '{"model_ratio":1.25,"group_ratio":0.5}',
  });
  const five = { "one-api": [4, false], "new-api": [2, true], Veloera: [5, false] }[family];
  expect([rows[4]?.type, rows[4]?.failed]).toEqual(five);
  expect((await listLogMonths(sql)).map(({ name }) => name)).toContain("logs_2025_01");
}
