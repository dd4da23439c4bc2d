import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { managedResources } from "../../../../db/schema/settings.ts";
import { startTestConsole } from "../../../../test/support/console/start-console.ts";
import { configurationSchema } from "../../../server/control-plane/management-api.ts";
import { sinkRoutes } from "../../logs/sinks.ts";
import { optionRoutes } from "../../settings/options.ts";
import { configurationRoutes } from "./configuration.ts";
import { managedLock } from "./managed-lock.ts";

type Plan = {
  changes: {
    section: string;
    name: string;
    action: string;
    fields: { field: string; before?: unknown; after?: unknown }[];
  }[];
  same: number;
  digest: string;
  problems: { section: string; at: number | string | null; field: string | null; code: string; message: string }[];
  is_applied: boolean;
};

let app: Awaited<ReturnType<typeof startTestConsole>>;
let root: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) =>
    new Elysia()
      .use(managedLock(services))
      .use(configurationRoutes({ ...services, configurationSchema }, guarded))
      .use(optionRoutes(services, guarded))
      .use(sinkRoutes({ ...services, sinkDeps: {} as never }, guarded)),
  );
  for (const [name, role] of [
    ["root", "root"],
    ["admin", "admin"],
    ["mina", "user"],
  ] as const)
    await app.addUser(name, role);
  root = await app.login("root");
});
afterAll(() => app.close());

const SITE = {
  options: { SystemName: "Harbor", Organizations: "on", SMTPToken: "mail-secret", QuotaForNewUser: 5 },
  groups: { default: { ratio: 1, description: "Everybody" }, partners: { ratio: 0.5, description: null } },
  prices: { "own-model": { input: 2, output: 8 }, "gpt-4o": null },
  routes: { fast: { strategy: "balanced", candidates: [{ model: "gpt-4o-mini" }] } },
  guardrails: {
    pii: { kind: "personal_data", action: "mask" },
    legal: { kind: "service", service: "openai", url: "https://moderation.example/v1", key: "moderation-secret" },
  },
  users: [{ name: "jonas", display_name: "Jonas", group: "partners" }],
  plans: [{ name: "Starter", price: 5_000_000, windowQuota: 6_000_000 }],
  channels: [
    { name: "main", type: 1, key: ["sk-one-secret", "sk-two-secret"], models: ["gpt-4o"], model_mapping: { a: "b" } },
    { name: "spare", type: 14, key: "sk-spare-secret", models: ["claude-haiku-4-5"], priority: 3 },
  ],
  organizations: [
    { name: "harbor", display_name: "Harbor Labs", members: { mina: "owner", jonas: "viewer" }, projects: ["Web"] },
  ],
  keys: [
    { name: "ci", owner: "harbor", project: "Web", quota: 1000 },
    { name: "notebook", owner: "mina", unlimited_quota: true, model_limits_enabled: true, model_limits: ["gpt-4o"] },
  ],
  budgets: [
    { organization: "harbor", scope: "project", target: "Web", period: "month", limit: 5_000_000, is_hard: false },
  ],
  alert_destinations: [
    { name: "pager", type: "slack", config: { url: "https://hooks.slack.example/T/B/hook-secret" } },
  ],
  alert_rules: [{ event: "channel_disabled", destinations: ["pager"] }],
  sinks: [
    { name: "warehouse", type: "webhook", config: { url: "https://usage.example/in", secret: WEBHOOK_SECRET() } },
  ],
};

function WEBHOOK_SECRET() {
  return `whsec_${Buffer.from("a webhook secret of some length").toString("base64")}`;
}

const apply = async (document: unknown, more: object = {}, headers = root) => {
  const { body } = await app.ask("POST", "/api/configuration/apply", { document, ...more }, headers);
  return { code: body.code, ...(body.data as Plan) };
};
const reference = (name: string): string => `\${env:${name}}`;
const read = async (secrets = true) =>
  (await app.ask("POST", "/api/configuration/export", { secrets }, root)).body.data as {
    document: typeof SITE;
    secrets: Record<string, string>;
  };
const resolve = ({ document, secrets }: { document: unknown; secrets: Record<string, string> }) =>
  JSON.parse(
    JSON.stringify(document).replace(/\$\{env:(\w+)\}/g, (_, name) => JSON.stringify(secrets[name]).slice(1, -1)),
  );

test("a dry run says what would change, without secrets, and changes nothing", async () => {
  const before = await read();
  const plan = await apply(SITE, { dry_run: true });
  expect(plan.problems).toEqual([]);
  expect(plan.is_applied).toBe(false);
  expect(plan.changes.map(({ section, name, action }) => `${action} ${section} ${name}`)).toEqual([
    "update options SystemName",
    "update options Organizations",
    "update options SMTPToken",
    "update options QuotaForNewUser",
    "update groups default",
    "create groups partners",
    "update prices gpt-4o",
    "create prices own-model",
    "create routes fast",
    "create guardrails pii",
    "create guardrails legal",
    "create plans Starter",
    "create users jonas",
    "create channels main",
    "create channels spare",
    "create organizations harbor",
    "create keys harbor/ci",
    "create keys mina/notebook",
    "create budgets harbor/project/Web/month",
    "create alert_destinations pager",
    "create alert_rules channel_disabled",
    "create sinks warehouse",
  ]);
  expect(JSON.stringify(plan)).not.toMatch(/sk-|mail-secret|moderation-secret|hook-secret|whsec_/);
  expect(await read()).toEqual(before);
});

test("a plan that somebody agreed to is applied, once", async () => {
  const { digest } = await apply(SITE, { dry_run: true });
  expect((await apply(SITE, { expected: "another" })).code).toBe("configuration_plan_differs");
  expect(await apply(SITE, { expected: digest })).toMatchObject({ is_applied: true, problems: [] });
  expect(app.settings.get("SystemName")).toBe("Harbor");
  const again = await apply(SITE);
  expect(again).toMatchObject({ changes: [], problems: [], is_applied: true });
  expect(again.same).toBe(22);
});

test("an export is what was applied, and says nothing new when it is applied again", async () => {
  const exported = await read();
  expect(exported.document).toMatchObject({
    groups: {
      default: { ...SITE.groups.default, topup_ratio: 1 },
      partners: { ...SITE.groups.partners, topup_ratio: null },
    },
    prices: SITE.prices,
    routes: SITE.routes,
    guardrails: {
      ...SITE.guardrails,
      legal: { ...SITE.guardrails.legal, key: reference("SLUICE_GUARDRAILS_LEGAL_KEY") },
    },
    plans: SITE.plans,
    organizations: SITE.organizations,
    keys: SITE.keys,
    budgets: [
      { organization: "harbor", scope: "project", target: "Web", period: "month", limit: 5_000_000, is_hard: false },
    ],
    alert_rules: [{ event: "channel_disabled", destinations: ["pager"] }],
  });
  expect(exported.document.channels[0]).toEqual({
    ...{ name: "main", key: reference("SLUICE_CHANNELS_MAIN_KEY"), models: ["gpt-4o"], model_mapping: { a: "b" } },
  } as never);
  expect(exported.secrets).toMatchObject({
    SLUICE_CHANNELS_MAIN_KEY: "sk-one-secret,sk-two-secret",
    SLUICE_OPTIONS_SMTPTOKEN: "mail-secret",
    SLUICE_GUARDRAILS_LEGAL_KEY: "moderation-secret",
  });
  expect(JSON.stringify(exported.document)).not.toMatch(/sk-|mail-secret|moderation-secret|hook-secret|whsec_/);
  expect((await read(false)).secrets).toMatchObject({ SLUICE_CHANNELS_MAIN_KEY: null });
  expect(await apply(resolve(exported))).toMatchObject({ changes: [], problems: [] });
  expect(await read()).toEqual(exported);
});

test("a guardrail is what its entry says: without a key it has none any more", async () => {
  const { key: _, ...legal } = SITE.guardrails.legal;
  expect((await apply({ guardrails: { legal } })).changes).toMatchObject([{ section: "guardrails", action: "update" }]);
  expect(app.settings.get("GuardrailKeys")).not.toContain("moderation-secret");
  expect(await apply({ guardrails: { legal } })).toMatchObject({ changes: [], problems: [] });
  const plan = await apply({ guardrails: { odd: { kind: "words" } } });
  expect(plan.problems).toMatchObject([{ section: "guardrails", at: "odd", code: "field_invalid" }]);
  await apply({ guardrails: SITE.guardrails });
});

test("only what a file names is touched", async () => {
  const plan = await apply({ channels: [{ name: "spare", priority: 7 }] });
  expect(plan.changes).toEqual([
    { section: "channels", name: "spare", action: "update", fields: [{ field: "priority", before: 3, after: 7 }] },
  ]);
  const { channels } = (await read()).document;
  expect(channels.find(({ name }) => name === "spare")).toMatchObject({
    models: ["claude-haiku-4-5"],
    type: 14,
    priority: 7,
  });
  await apply({ channels: [{ name: "spare", priority: 3 }] });
});

test("a refusal names entry and field, and nothing is applied", async () => {
  const before = await read();
  const plan = await apply({
    options: { SystemName: "Other", QuotaForNewUser: -4 },
    channels: [
      { name: "fine", type: 1, key: "sk-x-secret-12345", models: ["m"] },
      { name: "broken", type: 1, key: "sk-y-secret-12345", models: ["m"], base_url: "not an address" },
      { name: "empty", type: 1, key: "sk-z-secret-12345" },
    ],
    keys: [{ name: "k", owner: "nobody" }],
    routes: { odd: { candidates: [{ model: "a" }], strategy: "luck" } },
  });
  expect(plan.is_applied).toBe(false);
  expect(plan.problems.map(({ section, at, field, code }) => [section, at, field, code])).toEqual([
    ["options", "QuotaForNewUser", null, "option_integer"],
    ["routes", "odd", null, "field_invalid"],
    ["channels", 1, "base_url", "channel_base_url_invalid"],
    ["channels", 2, null, "channel_model_required"],
    ["keys", 0, null, "account_unknown"],
  ]);
  expect(await read()).toEqual(before);
  expect(app.settings.get("SystemName")).toBe("Harbor");
});

test("what does not fit the schema is refused place by place", async () => {
  const plan = await apply({ channels: [{ nam: "x", models: "a,b" }], keys: [{ name: "k", owner: 5 }], chanels: [] });
  expect(plan.problems.map(({ section, at, field, code }) => [section, at, field, code])).toEqual([
    ["options", null, "chanels", "configuration_field_unknown"],
    ["channels", 0, "name", "field_required"],
    ["channels", 0, "nam", "configuration_field_unknown"],
    ["channels", 0, "models", "field_list"],
    ["keys", 0, "owner", "field_text"],
  ]);
});

test("pruning deletes what files of the label made, and releases what was there before", async () => {
  const named = {
    channels: [
      { name: "spare", priority: 3 },
      { name: "of-b", type: 1, key: "sk-b-secret-12345", models: ["m"] },
    ],
  };
  const before = await app.db.select().from(managedResources);
  await apply(named, { label: "team-b" });
  const plan = await apply({ channels: [] }, { label: "team-b", prune: true });
  expect(plan.changes).toEqual([
    { section: "channels", name: "of-b", action: "delete", fields: [] },
    { section: "channels", name: "spare", action: "release", fields: [] },
  ]);
  const rows = await app.db.select().from(managedResources);
  expect(rows.filter(({ label }) => label === "team-b")).toEqual([]);
  // The one that the other label took over is nobody's now.
  expect(rows.length).toBe(before.length - 1);
});

test("a locked site refuses to change what files manage, and nothing else", async () => {
  const change = async (method: string, path: string, body?: object) =>
    (await app.ask(method, path, body, root)).body.code;
  const sinks = (await app.ask("GET", "/api/sinks/", undefined, root)).body.data as { id: number }[];
  const sink = `/api/sinks/${sinks[0]?.id}`;
  expect(await change("PUT", "/api/option/", { key: "SystemName", value: "Mine" })).toBeUndefined();
  await apply({ options: { LockManagedByFiles: true, SystemName: "Harbor" } });
  expect(await change("PUT", "/api/option/", { key: "SystemName", value: "Mine" })).toBe("managed_by_files");
  expect(await change("PUT", "/api/option/", { key: "GroupRatio", value: "{}" })).toBe("managed_by_files");
  expect(await change("DELETE", sink)).toBe("managed_by_files");
  expect(await change("PUT", "/api/option/", { key: "Footer", value: "x" })).toBeUndefined();
  const managed = (await app.ask("GET", "/api/configuration/managed", undefined, root)).body.data;
  expect(managed).toMatchObject({ is_locked: true });
  expect((managed as { resources: object[] }).resources).toContainEqual({
    ...{ section: "sinks", name: "warehouse", label: "files", id: sinks[0]?.id },
  });
  // Files go on changing it.
  expect(await apply({ options: { LockManagedByFiles: false } })).toMatchObject({ is_applied: true });
  expect(await change("DELETE", sink)).toBeUndefined();
});

test("who lacks a right of a section is refused, and a service account names no secret of a manager", async () => {
  const made = await app.ask(
    "POST",
    "/api/service_account/",
    { name: "ci", rights: ["settings:write", "channels:write"], expires_time: 0 },
    root,
  );
  const token = String((made.body.data as { token?: string }).token);
  const service = { authorization: `Bearer ${token}` };
  expect((await apply({ plans: [{ name: "Free" }] }, {}, service)).code).toBe("right_missing");
  expect(await apply({ options: { Footer: "by ci" } }, {}, service)).toMatchObject({ is_applied: true });
  const channel = { name: "by ci", type: 1, models: ["m"] };
  const referring = await apply({ channels: [{ ...channel, key: "secret://vault/kv/openai#key" }] }, {}, service);
  expect(referring.problems).toMatchObject([
    { section: "channels", field: "key", code: "channel_key_reference_denied" },
  ]);
  const moved = await apply({ channels: [{ name: "main", base_url: "https://elsewhere.example" }] }, {}, service);
  expect(moved.problems).toMatchObject([{ field: "base_url", code: "channel_key_required_again" }]);
  const exported = await app.ask("POST", "/api/configuration/export", {}, service);
  expect(Object.keys((exported.body.data as { document: object }).document).sort()).toEqual([
    ...["alert_destinations", "alert_rules", "channels", "options"],
  ]);
  expect((await app.ask("POST", "/api/configuration/export", { secrets: true }, service)).body.code).toBe(
    "permission_denied",
  );
  const admin = await app.login("admin");
  expect((await apply({}, {}, admin)).code).toBe("permission_denied");
});
