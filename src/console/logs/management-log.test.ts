/** Each action of an administrator leaves a row that says who did what to what, and what was before and after. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { desc, eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { MAX_REPORTED, valuesByChannel } from "../../domain/channels/status/values-by-channel.ts";
import { LOG_NOTES, LOG_TYPE } from "../../domain/logs/write-log.ts";
import { withOrigin } from "../../lib/http/request.ts";

type Row = { content: string; note: { code: string }; action: string; before?: object; after?: object };
type Ids = Readonly<
  Record<"channel" | "second" | "third" | "user" | "code" | "other" | "announcement" | "alerts" | "rule", number>
>;
type Action = readonly [
  method: string,
  path: string | ((ids: Ids) => string),
  body: ((ids: Ids) => object) | null,
  /** What the row says; names of things have their id as `#`. */
  expected: Readonly<{ note: string; action: string; before?: object; after?: object }>,
];

let app: TestOperations;
let ids: Ids;
beforeAll(async () => {
  app = await startTestOperations();
  const add = async (path: string, body: object) =>
    ((await app.ask("POST", path, body, app.as.root)).body.data as { id: number }).id;
  const channel = { key: "sk-key-of-alpha-1,sk-key-of-alpha-2", models: "gpt-4o", group: "default", tag: "east" };
  await app.ask("POST", "/api/redemption/", { name: "spring", quota: 500, count: 2 }, app.as.root);
  const codes = (await app.ask("GET", "/api/redemption/", undefined, app.as.root)).body.data as {
    items: { id: number }[];
  };
  ids = {
    channel: await add("/api/channel/", { ...channel, name: "alpha", setting: '{"proxy":"http://me:secret@px.test"}' }),
    second: await add("/api/channel/", { ...channel, name: "beta" }),
    user: await add("/api/user/", { username: "watched", password: "long enough" }),
    third: await add("/api/channel/", { ...channel, name: "delta", tag: "" }),
    code: codes.items[0]?.id ?? 0,
    other: codes.items[1]?.id ?? 0,
    announcement: await add("/api/announcement/", { level: "info", title: "One", content: "1", published_at: 1000 }),
    alerts: await add("/api/alerts/destinations?scope=site", { type: "slack", ...destination("Night shift") }),
    rule: await add("/api/alerts/rules/?scope=site", alertRule(20)),
  };
  await add("/api/channel/", { ...channel, name: "epsilon", tag: "", status: 2 });
});
afterAll(() => app.close());

const lastRow = async (): Promise<Row> => {
  const [row] = await app.db
    .select({ content: logs.content, other: logs.other, userId: logs.userId })
    .from(logs)
    .where(eq(logs.type, LOG_TYPE.management))
    .orderBy(desc(logs.id))
    .limit(1);
  expect(row?.userId).toBe(app.ids.root);
  return { content: row?.content ?? "", ...JSON.parse(row?.other ?? "{}") };
};
const destination = (name: string) => ({
  ...{ name, language: "en", enabled: true },
  config: { url: "https://hooks.slack.test/services/secret" },
});
const alertRule = (threshold: number) => ({
  ...{ event: "error_rate", threshold, window_minutes: 10 },
  ...{ destination_ids: [], enabled: true },
});
const keyId = async (id: number) => {
  const answer = await app.ask("GET", `/api/channel/${id}/health`, undefined, app.as.root);
  return (answer.body.data as { keys: { id: string }[] }).keys[0]?.id ?? "";
};
const alpha = (fields: object) => ({ "alpha (#)": fields });
const both = (fields: object) => ({ "alpha (#)": fields, "beta (#)": fields });
const channelPut = (body: object) =>
  ["PUT", "/api/channel/", ({ channel }: Ids) => ({ id: channel, ...body })] as const;

const ACTIONS: Readonly<Record<string, Action>> = {
  "a channel is created": [
    "POST",
    "/api/channel/",
    () => ({ name: "gamma", key: "sk-key-of-gamma-1", models: "o1,o3", group: "default", priority: 3 }),
    {
      note: "channel_created",
      action: "create",
      after: { name: "gamma", models_added: "o1, o3", priority: 3, groups: "default", type: 1, status: 1 },
    },
  ],
  "a channel is changed": [
    ...channelPut({ priority: 9, weight: 2, models: "gpt-4o,o1", base_url: "https://u.test", auto_ban: 0 }),
    {
      note: "channel_changed",
      action: "update",
      before: { priority: 0, weight: 0, baseUrl: "", autoBan: true },
      after: { priority: 9, weight: 2, baseUrl: "https://u.test", autoBan: false, models_added: "o1" },
    },
  ],
  "a channel's models go": [
    ...channelPut({ models: "o1" }),
    { note: "channel_changed", action: "update", before: { models_removed: "gpt-4o" }, after: {} },
  ],
  "a channel's key and proxy are changed": [
    ...channelPut({ key: "sk-key-of-alpha-3,sk-key-of-alpha-4", setting: '{"proxy":"http://me:other@px.test"}' }),
    { note: "channel_changed", action: "update", before: {}, after: { key: "changed" } },
  ],
  "a channel is disabled": [
    ...channelPut({ status: 2 }),
    { note: "channel_disabled", action: "disable", before: { status: 1 }, after: { status: 2 } },
  ],
  "a channel is enabled": [
    ...channelPut({ status: 1 }),
    { note: "channel_enabled", action: "enable", before: { status: 2 }, after: { status: 1 } },
  ],
  "channels are disabled together": [
    "POST",
    "/api/channel/batch/status",
    ({ channel, second }) => ({ ids: [channel, second], status: 2 }),
    { note: "channels_disabled", action: "disable", before: both({ status: 1 }), after: both({ status: 2 }) },
  ],
  "a tag is enabled": [
    "POST",
    "/api/channel/tag/enabled",
    () => ({ tag: "east" }),
    { note: "tag_enabled", action: "enable", before: both({ status: 2 }), after: both({ status: 1 }) },
  ],
  "a tag is disabled": [
    "POST",
    "/api/channel/tag/disabled",
    () => ({ tag: "east" }),
    { note: "tag_disabled", action: "disable", before: both({ status: 1 }), after: both({ status: 2 }) },
  ],
  "channels are enabled together": [
    "POST",
    "/api/channel/batch/status",
    ({ channel, second }) => ({ ids: [channel, second], status: 1 }),
    { note: "channels_enabled", action: "enable", before: both({ status: 2 }), after: both({ status: 1 }) },
  ],
  "a tag is changed": [
    "PUT",
    "/api/channel/tag",
    () => ({ tag: "east", priority: 5 }),
    {
      note: "tag_changed",
      action: "update",
      before: { "alpha (#)": { priority: 9 }, "beta (#)": { priority: 0 } },
      after: both({ priority: 5 }),
    },
  ],
  "a tag is changed that is so in part already": [
    "PUT",
    "/api/channel/tag",
    () => ({ tag: "east", priority: 5, weight: 2 }),
    {
      note: "tag_changed",
      action: "update",
      before: { "beta (#)": { weight: 0 } },
      after: { "beta (#)": { weight: 2 } },
    },
  ],
  "a tag is set": [
    "POST",
    "/api/channel/batch/tag",
    ({ channel }) => ({ ids: [channel], tag: "west" }),
    { note: "tag_set", action: "update", before: alpha({ tag: "east" }), after: alpha({ tag: "west" }) },
  ],
  "a tag is taken away": [
    "POST",
    "/api/channel/batch/tag",
    ({ channel }) => ({ ids: [channel], tag: null }),
    { note: "tag_removed", action: "update", before: alpha({ tag: "west" }), after: alpha({ tag: "" }) },
  ],
  "abilities are rebuilt": [
    "POST",
    "/api/channel/fix",
    null,
    { note: "abilities_rebuilt", action: "update", after: { channels: 5 } },
  ],
  "a channel's keys are looked at": [
    "GET",
    ({ channel }) => `/api/channel/${channel}?show_key=true`,
    null,
    { note: "channel_keys_seen", action: "read" },
  ],
  "channels are exported": [
    "POST",
    "/api/channel/export",
    () => ({ secrets: false }),
    { note: "channels_exported", action: "read" },
  ],
  "channels are imported": [
    "POST",
    "/api/channel/import",
    () => ({ channels: [{ name: "gamma", type: 1, priority: 4 }] }),
    { note: "channels_imported", action: "update", after: { created: 0, changed: 1, refused: 0 } },
  ],
  "a channel is deleted": [
    "DELETE",
    ({ second }) => `/api/channel/${second}/`,
    null,
    {
      note: "channels_deleted",
      action: "delete",
      before: { "beta (#)": { type: 1, status: 1 } },
      after: { deleted: 1 },
    },
  ],
  "channels are deleted together": [
    "POST",
    "/api/channel/batch",
    ({ third }) => ({ ids: [third] }),
    {
      note: "channels_deleted",
      action: "delete",
      before: { "delta (#)": { type: 1, status: 1 } },
      after: { deleted: 1 },
    },
  ],
  "disabled channels are deleted": [
    "DELETE",
    "/api/channel/disabled",
    null,
    {
      note: "channels_deleted",
      action: "delete",
      before: { "epsilon (#)": { type: 1, status: 2 } },
      after: { deleted: 1 },
    },
  ],
  "an option is changed": [
    "PUT",
    "/api/option/",
    () => ({ key: "SystemName", value: "Lock 7" }),
    { note: "option_changed", action: "update", before: { SystemName: "Sluice" }, after: { SystemName: "Lock 7" } },
  ],
  "prices are changed": [
    "PUT",
    "/api/option/",
    () => ({ key: "GroupRatio", value: '{"default":1,"vip":2,"gold":3}' }),
    {
      note: "option_changed",
      action: "update",
      before: { "GroupRatio: vip": 1, "GroupRatio: svip": 1 },
      after: { "GroupRatio: vip": 2, "GroupRatio: gold": 3 },
    },
  ],
  "a secret is changed": [
    "PUT",
    "/api/option/",
    () => ({ key: "SMTPToken", value: "the mail password" }),
    {
      note: "option_changed",
      action: "update",
      before: { SMTPToken: "" },
      after: { SMTPToken: { secret: "changed" } },
    },
  ],
  "settings are imported": [
    "POST",
    "/api/option/import",
    () => ({ options: { SystemName: "Lock 8", SMTPToken: "another one" } }),
    {
      note: "settings_imported",
      action: "update",
      before: { SystemName: "Lock 7", SMTPToken: { secret: "set" } },
      after: { SystemName: "Lock 8", SMTPToken: { secret: "changed" } },
    },
  ],
  "settings are exported": [
    "POST",
    "/api/option/export",
    () => ({ secrets: true }),
    { note: "settings_exported_with_secrets", action: "read" },
  ],
  "model ratios are reset": [
    "POST",
    "/api/option/rest_model_ratio",
    null,
    { note: "option_reset", action: "update", before: {}, after: {} },
  ],
  "an announcement is made": [
    "POST",
    "/api/announcement/",
    () => ({ level: "info", title: "Two", content: "2", published_at: 2000 }),
    { note: "announced", action: "create", after: { title: "Two", content: "2", level: "info" } },
  ],
  "an announcement is changed": [
    "PUT",
    "/api/announcement/",
    ({ announcement }) => ({ id: announcement, level: "warning", title: "Uno", content: "1", published_at: 1000 }),
    {
      note: "announcement_changed",
      action: "update",
      before: { title: "One", level: "info" },
      after: { title: "Uno", level: "warning" },
    },
  ],
  "an announcement is deleted": [
    "DELETE",
    ({ announcement }) => `/api/announcement/${announcement}`,
    null,
    { note: "announcement_deleted", action: "delete", before: { title: "Uno" } },
  ],
  "an alert destination is added": [
    "POST",
    "/api/alerts/destinations?scope=site",
    () => ({ type: "slack", ...destination("Day shift") }),
    {
      note: "alert_destination_added",
      action: "create",
      after: { name: "Day shift", type: "slack", config: {}, secrets_set: ["url"], target: "hooks.slack.test" },
    },
  ],
  "an alert destination is changed": [
    "PUT",
    ({ alerts }) => `/api/alerts/destinations/${alerts}?scope=site`,
    () => ({ ...destination("Weekend"), enabled: false }),
    {
      note: "alert_destination_changed",
      action: "update",
      before: { name: "Night shift", enabled: true },
      after: { name: "Weekend", enabled: false },
    },
  ],
  "an alert destination is deleted": [
    "DELETE",
    ({ alerts }) => `/api/alerts/destinations/${alerts}?scope=site`,
    null,
    { note: "alert_destination_deleted", action: "delete", before: { name: "Weekend" } },
  ],
  "an alert rule is added": [
    "POST",
    "/api/alerts/rules/?scope=site",
    () => alertRule(30),
    { note: "alert_rule_added", action: "create", after: { event: "error_rate", threshold: 30, window_minutes: 10 } },
  ],
  "an alert rule is changed": [
    "PUT",
    ({ rule }) => `/api/alerts/rules/${rule}?scope=site`,
    () => alertRule(40),
    { note: "alert_rule_changed", action: "update", before: { threshold: 20 }, after: { threshold: 40 } },
  ],
  "an alert rule is deleted": [
    "DELETE",
    ({ rule }) => `/api/alerts/rules/${rule}?scope=site`,
    null,
    { note: "alert_rule_deleted", action: "delete", before: { event: "error_rate", threshold: 40 } },
  ],
  "everybody is notified": [
    "POST",
    "/api/broadcast/",
    () => ({ event: "promotion", title: "Sale", content: "Half price" }),
    { note: "broadcast_sent", action: "create", after: { event: "promotion", title: "Sale", content: "Half price" } },
  ],
  "a user is added": [
    "POST",
    "/api/user/",
    () => ({ username: "fresh", password: "long enough" }),
    { note: "user_created", action: "create", after: { username: "fresh", role: 1, status: 1 } },
  ],
  "a user is changed": [
    "PUT",
    "/api/user/",
    ({ user }) => ({ id: user, quota_delta: 500, note: "pays late" }),
    {
      note: "user_changed",
      action: "update",
      before: { quota: 0, note: "" },
      after: { quota: 500, note: "pays late" },
    },
  ],
  "a user is promoted": [
    "POST",
    "/api/user/manage",
    ({ user }) => ({ id: user, action: "promote" }),
    { note: "user_promoted", action: "promote", before: { role: 1 }, after: { role: 10 } },
  ],
  "a user is disabled": [
    "POST",
    "/api/user/manage",
    ({ user }) => ({ id: user, action: "disable" }),
    { note: "user_disabled", action: "disable", before: { status: 1 }, after: { status: 2 } },
  ],
  "a user is enabled": [
    "POST",
    "/api/user/manage",
    ({ user }) => ({ id: user, action: "enable" }),
    { note: "user_enabled", action: "enable", before: { status: 2 }, after: { status: 1 } },
  ],
  "a user is demoted": [
    "POST",
    "/api/user/manage",
    ({ user }) => ({ id: user, action: "demote" }),
    { note: "user_demoted", action: "demote", before: { role: 10 }, after: { role: 1 } },
  ],
  "a user is deregistered": [
    "DELETE",
    ({ user }) => `/api/user/${user}`,
    null,
    { note: "user_deleted", action: "delete", before: { role: 1, status: 1 }, after: { deleted: true } },
  ],
  "a code is changed": [
    "PUT",
    "/api/redemption/",
    ({ code }) => ({ id: code, name: "summer", quota: 700 }),
    {
      note: "code_changed",
      action: "update",
      before: { name: "spring", quota: 500 },
      after: { name: "summer", quota: 700 },
    },
  ],
  "a code is disabled": [
    "PUT",
    "/api/redemption/?status_only=true",
    ({ code }) => ({ id: code, status: 2 }),
    { note: "code_disabled", action: "disable", before: { status: 1 }, after: { status: 2 } },
  ],
  "a code is enabled": [
    "PUT",
    "/api/redemption/?status_only=true",
    ({ code }) => ({ id: code, status: 1 }),
    { note: "code_enabled", action: "enable", before: { status: 2 }, after: { status: 1 } },
  ],
  "codes are disabled together": [
    "PUT",
    "/api/redemption/batch-disable",
    ({ code }) => ({ ids: [code] }),
    { note: "codes_disabled", action: "disable", before: { status: 1 }, after: { status: 2 } },
  ],
  "disabled codes are deleted": [
    "DELETE",
    "/api/redemption/delete-disabled",
    null,
    {
      note: "disabled_codes_deleted",
      action: "delete",
      before: { "summer (#)": { status: 2, quota: 700 } },
      after: { deleted: 1 },
    },
  ],
  "a code is deleted": [
    "DELETE",
    ({ other }) => `/api/redemption/${other}`,
    null,
    {
      note: "code_deleted",
      action: "delete",
      before: { "spring (#)": { status: 1, quota: 500 } },
      after: { deleted: 1 },
    },
  ],
  "codes are created": [
    "POST",
    "/api/redemption/",
    () => ({ name: "autumn", quota: 100, count: 2 }),
    { note: "codes_created", action: "create", after: { name: "autumn", quota: 100, count: 2 } },
  ],
  "codes are deleted by name": [
    "DELETE",
    "/api/redemption/delete-by-name?name=autumn",
    null,
    { note: "named_codes_deleted", action: "delete", after: { deleted: 2 } },
  ],
  "the log is cleared": [
    "DELETE",
    "/api/log/?target_timestamp=1000",
    null,
    { note: "logs_deleted", action: "delete", after: { deleted: 0 } },
  ],
};

test.each(Object.entries(ACTIONS))("%s", async (_, [method, path, body, expected]) => {
  const address = typeof path === "string" ? path : path(ids);
  const answer = await app.ask(method, address, body?.(ids), app.as.root);
  expect(answer.body).toMatchObject({ success: true });
  const row = await lastRow();
  // Names of things carry ids, which differ from run to run.
  const { content, ...logged } = JSON.parse(JSON.stringify(row).replace(/ \(#\d+\)":/g, ' (#)":')) as Row;
  expect(content).not.toBe("");
  expect({ ...logged, note: logged.note.code }).toMatchObject(expected);
  expect(Object.keys(LOG_NOTES)).toContain(logged.note.code);
  expect(JSON.stringify(row)).not.toMatch(/sk-key|me:secret|me:other|the mail password|another one/);
});

const rows = () => app.db.$count(logs, eq(logs.type, LOG_TYPE.management));

test("of a tag's channels the row names those and the fields that differ, and is left out where none does", async () => {
  const channel = { key: "sk-key-of-zeta-1", models: "gpt-4o", group: "default", tag: "north", priority: 1 };
  for (const [name, weight] of [
    ["zeta", 3],
    ["eta", 4],
  ]) {
    await app.ask("POST", "/api/channel/", { ...channel, name, weight }, app.as.root);
  }
  const edit = (change: object) => app.ask("PUT", "/api/channel/tag", { tag: "north", ...change }, app.as.root);
  expect((await edit({ priority: 1, weight: 3, groups: "default", models: "gpt-4o" })).body.data).toBe(2);
  const { content, before, after } = await lastRow();
  expect(content).toBe("Changed 1 channels of tag north: weight");
  expect([Object.values(before ?? {}), Object.values(after ?? {})]).toEqual([[{ weight: 4 }], [{ weight: 3 }]]);
  const written = await rows();
  expect((await edit({ priority: 1, weight: 3 })).body.data).toBe(2);
  expect(await rows()).toBe(written);
});

test("a row says from where and in which request, also of acts at the same time", async () => {
  const act = (index: number) =>
    withOrigin({ ip: `203.0.113.${index}`, requestId: `request-${index}` }, () =>
      app.ask("POST", "/api/redemption/", { name: `origin-${index}`, quota: 5, count: 1 }, app.as.root),
    );
  await Promise.all([1, 2, 3, 4].map(act));
  const rows = await app.db
    .select()
    .from(logs)
    .where(eq(logs.type, LOG_TYPE.management))
    .orderBy(desc(logs.id))
    .limit(4);
  const seen = rows.map(({ ip, other, content }) => [
    /origin-\d/.exec(content + other)?.[0],
    ip,
    JSON.parse(other).request_id,
  ]);
  expect(seen.toSorted()).toEqual([1, 2, 3, 4].map((at) => [`origin-${at}`, `203.0.113.${at}`, `request-${at}`]));
});

test("an option that is saved as it is leaves no row", async () => {
  const before = await rows();
  const save = (value: string) => app.ask("PUT", "/api/option/", { key: "RetryTimes", value }, app.as.root);
  expect((await save("0")).body).toMatchObject({ success: true });
  expect(await rows()).toBe(before);
  await save("3");
  expect(await rows()).toBe(before + 1);
});

test("one key of several is switched, named by its mask", async () => {
  const id = await keyId(ids.channel);
  const answer = await app.ask(
    "POST",
    `/api/channel/${ids.channel}/keys/status`,
    { key: id, enabled: false },
    app.as.root,
  );
  expect(answer.body).toMatchObject({ success: true });
  const { note, action, before, after } = await lastRow();
  expect([note.code, action]).toEqual(["channel_key_disabled", "disable"]);
  expect(Object.values(before ?? {})).toEqual([{ status: 1 }]);
  expect(Object.values(after ?? {})).toEqual([{ status: 2 }]);
  expect(Object.keys(after ?? {})[0]).toContain("••••");
});

test("of a batch as large as may be, only the first are named", () => {
  const rows = Array.from({ length: MAX_REPORTED + 5 }, (_, id) => ({ id, name: "n" }));
  expect(Object.keys(valuesByChannel(rows, () => 1))).toHaveLength(MAX_REPORTED);
});
