import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { type OrganizationRole, organizationMembers } from "../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { alertDestinations } from "../../../db/schema/alerts.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import type { DeliveryView } from "../../domain/alerts/deliveries.ts";
import type { DestinationView } from "../../domain/alerts/destinations.ts";

type Headers = Record<string, string>;

let app: TestConsole;
let telegram: ReturnType<typeof Bun.serve>;
const texts: unknown[] = [];
const as = {} as Record<"root" | "admin" | "ann" | "bob", Headers>;
const TOKEN = `42:${"t".repeat(30)}`;

beforeAll(async () => {
  telegram = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      texts.push(((await request.json()) as { text: string }).text);
      return Response.json({ ok: true });
    },
  });
  app = await startTestConsole(undefined, undefined, { telegramBot: telegram.url.origin });
  for (const [name, role] of Object.entries({ root: "root", admin: "admin", ann: "user", bob: "user" } as const)) {
    await app.addUser(name, role);
    as[name as keyof typeof as] = await app.login(name);
  }
});
afterAll(async () => {
  await app.close();
  await telegram.stop(true);
});

const call = async (method: string, path: string, headers: Headers, scope = "own", body?: object) =>
  (await app.ask(method, `/api/alerts${path}?scope=${scope}`, body, headers)).body;
const input = (change: object = {}) => ({
  type: "telegram",
  name: "Night shift",
  language: "en",
  enabled: true,
  config: { bot_token: TOKEN, chat_id: "-1001" },
  ...change,
});
const list = async (headers: Headers, scope = "own") =>
  (await call("GET", "/destinations", headers, scope)).data as DestinationView[];

test("a destination is added, changed, tried and deleted by its owner; its secrets are never shown", async () => {
  const added = (await call("POST", "/destinations", as.ann, "own", input())).data as DestinationView;
  expect(added).toMatchObject({
    ...{ type: "telegram", name: "Night shift", enabled: true, target: "-1001" },
    ...{ config: { chat_id: "-1001" }, secrets_set: ["bot_token"] },
  });
  const path = `/destinations/${added.id}`;
  const { type: _, ...change } = input({ name: "Day shift", config: { bot_token: "", chat_id: "-1002" } });
  expect((await call("PUT", path, as.ann, "own", change)).data).toMatchObject({ name: "Day shift", target: "-1002" });

  const tried = (await call("POST", `${path}/test`, as.ann)).data as DeliveryView;
  expect(tried).toMatchObject({ status: "delivered", event: "test", destination_name: "Day shift", http_status: 200 });
  expect(texts).toEqual(["Test alert\nAlerts reach you here."]);
  expect((await call("POST", `/deliveries/${tried.id}/resend`, as.ann)).data).toMatchObject({ attempts: 2 });
  const log = await call("GET", "/deliveries", as.ann);
  expect(log.data).toMatchObject({ total: 1, items: [{ id: tried.id }] });

  const everything = JSON.stringify([added, log, await list(as.ann), await app.db.select().from(alertDestinations)]);
  expect(everything).not.toContain("tttt");
  expect((await call("DELETE", path, as.ann)).success).toBe(true);
  expect(await list(as.ann)).toEqual([]);
});

test("nobody sees or changes what is somebody else's; the site's belong to administrators", async () => {
  const own = (await call("POST", "/destinations", as.ann, "own", input())).data as DestinationView;
  const site = (await call("POST", "/destinations", as.admin, "site", input({ name: "Ops" }))).data as DestinationView;
  expect(await list(as.bob)).toEqual([]);
  expect((await list(as.root, "site")).map(({ name }) => name)).toEqual(["Ops"]);
  const delivery = (await call("POST", `/destinations/${own.id}/test`, as.ann)).data as DeliveryView;
  const { type: _, ...change } = input({ name: "mine" });
  for (const [headers, scope, id] of [
    [as.bob, "own", own.id],
    [as.root, "own", own.id],
    [as.root, "site", own.id],
    [as.ann, "own", site.id],
  ] as const) {
    for (const [method, path, body] of [
      ["PUT", `/destinations/${id}`, change],
      ["DELETE", `/destinations/${id}`, undefined],
      ["POST", `/destinations/${id}/test`, undefined],
    ] as const) {
      expect((await call(method, path, headers, scope, body)).code).toBe("alert_destination_not_found");
    }
  }
  expect((await call("POST", `/deliveries/${delivery.id}/resend`, as.bob)).code).toBe("alert_delivery_not_found");
  for (const [method, path, body] of [
    ["GET", "/destinations", undefined],
    ["POST", "/destinations", input()],
    ["PUT", `/destinations/${site.id}`, change],
    ["DELETE", `/destinations/${site.id}`, undefined],
    ["POST", `/destinations/${site.id}/test`, undefined],
    ["GET", "/deliveries", undefined],
    ["POST", `/deliveries/${delivery.id}/resend`, undefined],
  ] as const) {
    expect((await call(method, path, as.ann, "site", body)).code).toBe("permission_denied");
  }
});

test.each([
  [{ type: "pigeon" }, "alert_type_invalid"],
  [{ name: "  " }, "alert_name_invalid"],
  [{ name: "x".repeat(61) }, "alert_name_invalid"],
  [{ config: { bot_token: TOKEN } }, "alert_field_required"],
  [{ config: { bot_token: "x", chat_id: "1" } }, "alert_field_invalid"],
  [{ type: "slack", config: { url: "http://hooks.slack.com/x" } }, "webhook_url_invalid"],
])("%o is refused in both languages", async (change, code) => {
  const response = await call("POST", "/destinations", { ...as.bob, "accept-language": "zh" }, "own", input(change));
  expect(response).toMatchObject({ success: false, code });
  expect(response.message).toMatch(/[\u4e00-\u9fff]/);
});

test("an owner has at most twenty", async () => {
  for (let at = 0; at < 20; at += 1) await call("POST", "/destinations", as.bob, "own", input({ name: `n${at}` }));
  expect((await call("POST", "/destinations", as.bob, "own", input())).code).toBe("alert_destinations_full");
});

test("rules are their owner's, the site's those of administrators", async () => {
  const rule = (change: object = {}) => ({
    ...{ event: "error_rate", threshold: 20, window_minutes: 10, destination_ids: [], enabled: true },
    ...change,
  });
  const own = (await call("POST", "/rules/", as.ann, "own", rule())).data as { id: number };
  const site = (await call("POST", "/rules/", as.admin, "site", rule({ event: "channel_disabled" }))).data as {
    id: number;
  };
  expect((await call("GET", "/rules/", as.ann)).data).toEqual([{ id: own.id, ...rule() }]);
  expect((await call("GET", "/rules/", as.bob)).data).toEqual([]);
  expect((await call("PUT", `/rules/${own.id}`, as.ann, "own", rule({ threshold: 50 }))).data).toMatchObject({
    threshold: 50,
  });
  for (const [headers, scope, id] of [
    [as.bob, "own", own.id],
    [as.root, "site", own.id],
    [as.ann, "own", site.id],
  ] as const) {
    expect((await call("PUT", `/rules/${id}`, headers, scope, rule())).code).toBe("alert_rule_not_found");
    expect((await call("DELETE", `/rules/${id}`, headers, scope)).code).toBe("alert_rule_not_found");
  }
  for (const [method, path, body] of [
    ["GET", "/rules/", undefined],
    ["POST", "/rules/", rule()],
    ["PUT", `/rules/${site.id}`, rule()],
    ["DELETE", `/rules/${site.id}`, undefined],
  ] as const) {
    expect((await call(method, path, as.ann, "site", body)).code).toBe("permission_denied");
  }
  const foreign = await list(as.admin, "site");
  const stolen = rule({ destination_ids: foreign.map(({ id }) => id) });
  expect((await call("POST", "/rules/", as.ann, "own", stolen)).code).toBe("alert_destination_not_found");
});

test("an organization's alerts are managed by its owners, admins and billing managers, and stand in its log", async () => {
  await app.settings.set("Organizations", "on");
  const account = { kind: "organization", username: "acme", affCode: "acme", createdAt: 1 } as const;
  const { id: organization } = requireRow(await app.db.insert(users).values(account).returning({ id: users.id }));
  const inside = (headers: Headers) => ({ ...headers, "sluice-organization": String(organization) });
  const bob = (await app.db.select().from(users).where(eq(users.username, "bob")))[0]?.id ?? 0;
  const join = (role: OrganizationRole, userId = bob) =>
    app.db
      .insert(organizationMembers)
      .values({ organizationId: organization, userId, role, joinedAt: 1 })
      .onConflictDoUpdate({
        target: [organizationMembers.organizationId, organizationMembers.userId],
        set: { role },
      });
  const ann = (await app.db.select().from(users).where(eq(users.username, "ann")))[0]?.id ?? 0;
  await join("owner", ann);
  const added = (await call("POST", "/destinations", inside(as.ann), "own", input({ name: "Acme ops" })))
    .data as DestinationView;
  expect((await list(as.ann)).map(({ name }) => name)).not.toContain("Acme ops");
  expect((await call("GET", "/destinations", inside(as.bob))).code).toBe("organization_not_member");
  await join("developer");
  expect((await call("GET", "/destinations", inside(as.bob))).code).toBe("organization_right_missing");
  await join("billing");
  expect((await list(inside(as.bob))).map(({ name }) => name)).toEqual(["Acme ops"]);
  const rule = { event: "organization_budget", threshold: 80, window_minutes: 0, destination_ids: [added.id] };
  const saved = await call("POST", "/rules/", inside(as.bob), "own", { ...rule, enabled: true });
  expect(saved.data).toMatchObject(rule);
  // Administrators of the site change the site's alerts for themselves, not for an organization.
  expect((await call("GET", "/destinations", inside(as.ann), "site")).code).toBe("permission_denied");
  const log = await app.db.select().from(logs).where(eq(logs.userId, organization));
  expect(log.map(({ content }) => content)).toEqual(
    expect.arrayContaining([
      "ann: Added the alert destination Acme ops",
      "bob: Added the alert rule organization_budget",
    ]),
  );
  expect(JSON.stringify(log)).not.toContain("tttt");
});
