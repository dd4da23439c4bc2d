import { afterAll, beforeAll, expect, test } from "bun:test";
import { createChanges } from "../../../../db/changes.ts";
import type { Database } from "../../../../db/types.ts";
import { MARIADB, startEngines } from "../../../../test/support/import/import-engines.ts";
import { type Engine, tablesOf } from "../../../../test/support/import/real-schemas.ts";
import { contents, expectBooksRight, expectCovered } from "../../../../test/support/import/start-import.ts";
import { createApiKeyDirectory } from "../../../domain/api-keys/directory/index.ts";
import { readCredential } from "../../../gateway/auth/authenticate.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { loadOptions } from "../../../settings/store.ts";
import { writeReport } from "../report.ts";
import { runImport } from "../run-import.ts";
import type { Family } from "./detect-family.ts";

const vault = createVault({ encryptionKey: "the key of the importer's tests" });
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const open: Database[] = [];

let engines: Awaited<ReturnType<typeof startEngines>>;
beforeAll(async () => {
  engines = await startEngines();
}, 240_000);
afterAll(async () => {
  for (const database of open.splice(0)) await database.close();
  await engines.stop();
}, 60_000);

async function start(engine: Engine, family: Family, rows: readonly string[]) {
  const name = `${engine}_${family.replace("-", "_")}`.toLowerCase();
  const database = await engines.openTarget(name);
  open.push(database);
  const source = await engines.makeSource(engine, name, async (run) => {
    for (const statement of [...tablesOf(engine, family), ...rows]) await run(statement);
  });
  const run = async () => {
    const choices = { isDry: false, withLogs: true };
    const { report, family: found } = await runImport({ database, vault }, source, choices);
    expect(found).toBe(family);
    expectCovered(report, family);
    return { text: writeReport(report, false), of: (kind: string) => report.section(kind) };
  };
  return { database, run };
}

const json = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

const ALICE =
  "insert into users (id, username, password, role, status, quota, \"group\", aff_code) values (7, 'alice', 'x', 1, 1, 500, 'vip', 'aaaa')";

test("a channel of new-api keeps which of its keys are off, how they take turns, and no setting that nothing reads", async () => {
  const channel = (id: number, columns: Readonly<Record<string, string>>) => {
    const all = { id: String(id), status: "1", models: "'m'", type: "1", ...columns };
    const names = Object.keys(all).map((name) => `"${name}"`);
    return `insert into channels (${names.join(", ")}) values (${Object.values(all).join(", ")})`;
  };
  const account = (id: string) => ({ project_id: id, client_email: `${id}@x`, private_key: "k" });
  const { database, run } = await start("SQLite", "new-api", [
    ALICE,
    channel(1, {
      name: "'many'",
      key: "'k-one\nk-two\nk-three'",
      channel_info: json({
        is_multi_key: true,
        multi_key_size: 3,
        multi_key_mode: "random",
        multi_key_status_list: { 0: 1, 1: 2, 2: 3 },
        multi_key_disabled_reason: { 2: "quota" },
        multi_key_disabled_time: { 2: 1_700_000_000 },
      }),
      setting: json({ system_prompt: "Hi", http_protocol: "http1", http2_connection_shards: 0 }),
      created_time: "0",
      param_override: json({
        top_k: 4,
        operations: [
          { mode: "set", path: "seed", value: 1, keep_origin: true },
          { mode: "trim_prefix", path: "model", value: "x" },
          { mode: "set", path: "n", value: 2 },
          { mode: "set_header", path: "X-Own", value: "yes" },
          { mode: "pass_headers", value: ["X-Trace"] },
        ],
      }),
      header_override: json({ "X-Title": "Site", "X-Key": "{api_key}" }),
    }),
    channel(2, {
      name: "'odd proxy'",
      key: "'k'",
      setting: json({ proxy: "10.0.0.1:8080" }),
      created_time: "1700000000",
    }),
    channel(3, {
      name: "'google'",
      type: "41",
      key: json([account("a"), account("b")]),
      channel_info: json({ is_multi_key: true, multi_key_status_list: { 1: 2 } }),
      created_time: "1700000000",
    }),
    "insert into tokens (id, user_id, \"key\", name, status, \"group\", expired_time) values (4, 7, 'my-own-7', 'auto', 1, 'auto', -1), (5, 7, 'k5', 'own list', 1, 'auto', -1)",
    `update tokens set auto_groups = '["vip","default"]' where id = 5`,
    `insert into options values ('AutoGroups', '["vip","default"]')`,
    `insert into options values ('GroupGroupRatio', '{"vip":{"default":0.9}}')`,
    `insert into options values ('CreateCacheRatio', '{"m":1.25}'), ('discord.client_id', 'd'), ('checkin_setting.min_quota', '100')`,
  ]);
  const { text, of } = await run();
  expect(of("channels")).toMatchObject({ read: 3, added: 4 });
  expect(text).toContain("#1 many: its setting http_protocol has no counterpart and is left out");
  expect(text).not.toContain("http2_connection_shards");
  expect(text).toContain("#2 odd proxy: disabled, its proxy makes no sense here");
  const keys = await database.sql`select "group" from tokens order by id`;
  expect(keys.map(({ group }) => group)).toEqual(["auto", "vip,default"]);
  const options = await loadOptions(database.db, vault);
  expect(options.get("AutoGroups")).toBe('["vip","default"]');
  expect(options.get("GroupGroupRatio")).toBe('{"vip":{"default":0.9}}');
  expect(options.get("CacheCreationRatio")).toBe('{"m":1.25}');
  expect([options.get("DiscordClientId"), options.get("CheckInQuota")]).toEqual(["d", "100"]);
  const states =
    await database.sql`select key_hash, status, reason, status_time from channel_keys where channel_id = 1 order by status`;
  expect(states.map((row) => [row.key_hash, row.status, row.reason, Number(row.status_time)])).toEqual([
    [vault.keyedHash("k-two"), 2, "", 0],
    [vault.keyedHash("k-three"), 3, "quota", 1_700_000_000],
  ]);
  const [first] = await database.sql`select param_override, header_override from channels where id = 1`;
  expect(JSON.parse(String(first?.param_override))).toEqual({
    top_k: 4,
    n: 2,
    operations: [{ mode: "set", path: "seed", value: 1, keep_origin: true }],
  });
  expect(JSON.parse(String(first?.header_override))).toEqual({
    "X-Title": "Site",
    "X-Own": "yes",
    "X-Trace": "{client_header:X-Trace}",
  });
  expect(text).toContain("#1 many: its operation 2 (trim_prefix) has no counterpart and is left out");
  expect(text).toContain("#1 many: its header X-Key has no counterpart and is left out");
  const rows = await database.sql`select name, status, setting, key_cipher from channels order by id`;
  const settings = JSON.parse(String(rows[0]?.setting));
  expect(settings).toEqual({ system_prompt: "Hi", multi_key_mode: "random" });
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ["many", 1],
    ["odd proxy", 2],
    ["google", 1],
    ["google 2", 2],
  ]);
  expect(JSON.parse(vault.decrypt(String(rows[3]?.key_cipher)))).toEqual(account("b"));
  const after = await contents(database);
  expect((await run()).of("channels")).toMatchObject({ added: 0, present: 4 });
  expect(await contents(database)).toBe(after);
});

/** As one-hub makes keys: ids, and a signature in letters of which two are signs. */
const HUB_KEY = "A6sz1HQ6DpsIjwn_vXRIWTk5F5rbA2fWGksITptg9-2wFYS7cdk37NJznVU";

/** A client may send the key as before, and an administrator a channel behind it. */
async function expectKeyWorks(database: Database): Promise<void> {
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  const directory = await createApiKeyDirectory({ ...database, changes, vault, log });
  try {
    const read = (sent: string) =>
      readCredential(new Request("http://x/v1/models", { headers: { authorization: `Bearer ${sent}` } }), (key) =>
        Boolean(directory.findByKey(key)),
      );
    expect(read(`sk-${HUB_KEY}`)).toEqual({ key: HUB_KEY, channelId: null });
    expect(read(`sk-${HUB_KEY}-2`)).toEqual({ key: HUB_KEY, channelId: 2 });
    expect(directory.findByKey(HUB_KEY)).toMatchObject({ id: 4, userId: 7 });
  } finally {
    directory.close();
    await changes.close();
  }
}

const ENGINES: readonly Engine[] = MARIADB === null ? ["SQLite", "Postgres"] : ["SQLite", "Postgres", "MariaDB"];
const HUBS = (["one-hub", "done-hub"] as const).flatMap((family) => ENGINES.map((engine) => [family, engine] as const));

test.each(HUBS)("a database of %s on %s comes over, and twice is once", async (family, engine) => {
  const { database, run } = await start(engine, family, [
    ALICE,
    "update users set created_time = 1650000000, github_id = 'octo', github_id_new = 4711, telegram_id = 88",
    `insert into tokens (id, user_id, "key", name, status, "group", expired_time, remain_quota, setting) values
     (4, 7, '${HUB_KEY}', 'hers', 1, 'vip', -1, 50, ${json({
       limits: {
         limit_model_setting: { enabled: true, models: ["gpt-4o"] },
         limits_ip_setting: { enabled: true, whitelist: ["10.0.0.0/8"] },
       },
     })})`,
    "update tokens set backup_group = 'default'",
    `insert into channels (id, type, "key", name, status, models, "group", weight, proxy, custom_parameter, created_time) values
     (1, 28, 'ds', 'DeepSeek', 1, 'deepseek-chat', 'default,vip', 3, 'http://127.0.0.1:9', '{"top_k":4,"overwrite":true,"remove_params":["stop"]}', 1700000000),
     (2, 32, 'us-east-1|A|S', 'Bedrock', 1, 'claude', 'vip', 1, '', '', 1700000000),
     (3, 37, 'k', 'Stability', 1, 'sd', 'vip', 1, '', '', 1700000000),
     (4, 42, '{"project_id":"p"}', 'Vertex', 1, 'gemini', 'vip', 1, '', '', 1700000000),
     (5, 8, 'own', 'Custom', 1, 'm', 'vip', 1, '', '', 1700000000),
     (6, 8, 'own', 'Nowhere', 1, 'm', 'vip', 1, '', '', 1700000000)`,
    "update channels set base_url = 'https://own.example/' where id = 5",
    "update channels set other = 'europe-west1,global|p' where id = 4",
    ...(family === "done-hub" ? ["update channels set cost_ratio = 0.85 where id = 1"] : []),
    `insert into user_groups (id, symbol, name, ratio, public, enable) values (1, 'default', 'Default', 1, true, true),
     (2, 'vip', 'VIP', 0.5, false, true), (3, 'off', 'Off', 2, true, false)`,
    `insert into options ("key", value) values ('OIDCIssuer', 'https://sso.example/'), ('OIDCClientId', 'id'), ('SafeKeyWords', 'one\ntwo'),
     ('ChatLinks', ${json([
       { name: "Chat", url: "https://chat.example/?key={key}&url={server}", show: true },
       { name: "Hidden", url: "https://hidden.example", show: false },
     ])})`,
    `insert into prices (model, "type", channel_type, "input", output, extra_ratios) values
     ('gpt-4o', 'tokens', 0, 1.25, 5, '{"cached_tokens":0.5,"reasoning_tokens":2}'), ('gpt-4o', 'tokens', 3, 9, 9, null),
     ('draw', 'times', 0, 20, 20, null)`,
    `insert into logs (id, user_id, created_at, type, username, model_name, quota, channel_id, request_time, source_ip, metadata)
     values (1, 7, 1735690000, 2, 'alice', 'deepseek-chat', 30, 1, 1500, '10.0.0.9', '{"group_ratio":0.5}')`,
  ]);
  const { text, of } = await run();
  expect(of("channels")).toMatchObject({ read: 4, added: 4 });
  expect(text).toContain("#6 Nowhere: it has no address, which a channel of type 8 needs");
  expect(text).toContain("#3 Stability: Stability AI has no counterpart here");
  expect(text).toContain("gpt-4o: the ratio of reasoning_tokens has no counterpart");
  expect(text).toContain("gpt-4o: its price for one type of channel does not come over");
  const channels =
    await database.sql`select type, base_url, other, weight, setting, param_override, key_cipher from channels order by id`;
  expect(channels.map((row) => [row.type, row.base_url, row.other, row.weight])).toEqual([
    [43, "", "", 3],
    [33, "", "", 1],
    [41, "", "europe-west1", 1],
    [1, "https://own.example", "", 1],
  ]);
  expect(vault.decrypt(String(channels[1]?.key_cipher))).toBe("A|S|us-east-1");
  expect(JSON.parse(String(channels[0]?.param_override))).toEqual({
    operations: [
      { mode: "delete", path: "stop" },
      { mode: "set", path: "top_k", value: 4 },
    ],
  });
  expect(JSON.parse(String(channels[0]?.setting))).toEqual({
    proxy: "http://127.0.0.1:9",
    ...(family === "done-hub" && { cost_ratio: 0.85 }),
  });
  const [token] = await database.sql`select * from tokens`;
  expect(token).toMatchObject({
    model_limits_enabled: true,
    model_limits: ["gpt-4o"],
    allow_ips: "10.0.0.0/8",
    group: "vip,default",
  });
  await expectKeyWorks(database);
  const [alice] = await database.sql`select created_at from users`;
  expect(Number(alice?.created_at)).toBe(1_650_000_000);
  const bound = await database.sql`select provider, subject from identities order by provider`;
  expect(bound.map(({ provider, subject }) => `${provider} ${subject}`)).toEqual(["github 4711", "telegram 88"]);
  const options = await loadOptions(database.db, vault);
  expect(options.get("oidc.well_known")).toBe("https://sso.example/.well-known/openid-configuration");
  expect(options.get("Chats")).toBe('[{"Chat":"https://chat.example/?key={key}&url={address}"}]');
  expect([options.get("oidc.client_id"), options.get("SensitiveWords")]).toEqual(["id", "one\ntwo"]);
  const optionOf = (key: Parameters<typeof options.get>[0]) => JSON.parse(options.get(key) ?? "null");
  expect(optionOf("GroupRatio")).toEqual({ default: 1, vip: 0.5, off: 2 });
  expect(optionOf("UserUsableGroups")).toEqual({ default: "Default" });
  expect([optionOf("ModelRatio"), optionOf("CompletionRatio")]).toEqual([{ "gpt-4o": 1.25 }, { "gpt-4o": 4 }]);
  expect([optionOf("ModelPrice"), optionOf("CacheRatio")]).toEqual([{ draw: 0.04 }, { "gpt-4o": 0.5 }]);
  const [row] = await database.sql`select elapsed_ms, ip, other from logs`;
  expect(row).toMatchObject({ elapsed_ms: 1500, ip: "10.0.0.9", other: '{"group_ratio":0.5}' });
  await expectBooksRight(database);
  const after = await contents(database);
  await run();
  expect(await contents(database)).toBe(after);
});
