import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { alertDeliveries, alertDestinations } from "../../../db/schema/alerts.ts";
import { addUser } from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { readConfig } from "../../server/config.ts";
import { encryptConfig } from "../logs/sinks/destination-config.ts";
import type { Alert } from "./alert.ts";
import { createAlerter } from "./alerter.ts";
import { getDelivery, listDeliveries } from "./deliveries.ts";
import type { AlertOwner } from "./destinations.ts";

type Call = { path: string; body: Record<string, unknown>; headers: Headers };

let database: TestDatabase;
let userId = 0;
let respond: () => Response = () => new Response("ok");
const calls: Call[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = (await request.json()) as Call["body"];
    calls.push({ path: new URL(request.url).pathname, body, headers: request.headers });
    return respond();
  },
});
const url = server.url.origin;
const vault = createVault({ encryptionKey: "key of the alerts' tests" });
const SECRET = `whsec_${Buffer.from("k".repeat(32)).toString("base64")}`;
const ALERT: Alert = {
  key: "t/1",
  state: "firing",
  severity: "warning",
  at: 1_790_000_000,
  notice: { type: "t", title: { en: "Low", zh: "不足" }, content: { en: "c", zh: "内容" }, values: [] },
};

beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 0);
});
afterAll(async () => {
  await server.stop(true);
  await database.close();
});
beforeEach(async () => {
  calls.length = 0;
  respond = () => new Response("ok");
  await database.db.delete(alertDestinations);
});

function start(allowPrivate = true) {
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const { alertAddresses } = readConfig({});
  return createAlerter({
    db: database.db,
    log,
    vault,
    settings: fixedSettings({ SystemName: "Lock 7" }),
    fetch: createSafeFetch(createAddressPolicy(allowPrivate)),
    addresses: { ...alertAddresses, telegramBot: url, pagerduty: url },
    localAddress: "http://gateway.test",
  });
}

async function addDestination(
  type: string,
  config: Record<string, string>,
  { owner = "site" as AlertOwner, ...more }: { owner?: AlertOwner; enabled?: boolean; language?: string } = {},
): Promise<number> {
  const [row] = await database.db
    .insert(alertDestinations)
    .values({
      ...{ type, name: type, createdAt: 1, ...more },
      userId: owner === "site" ? null : owner,
      configCipher: encryptConfig(vault, config),
    })
    .returning({ id: alertDestinations.id });
  return row?.id ?? 0;
}
const deliveries = async (owner: AlertOwner = "site") =>
  (await listDeliveries(database.db, owner, { page: 0, pageSize: 50 }, "en")).items;

test("an alert goes to each enabled destination of its owner, in its language, and into the log", async () => {
  await addDestination("slack", { url: `${url}/slack` }, { language: "zh" });
  await addDestination("webhook", { url: `${url}/hook`, secret: SECRET });
  await addDestination("slack", { url: `${url}/off` }, { enabled: false });
  await addDestination("slack", { url: `${url}/own` }, { owner: userId });
  await start().dispatch("site", ALERT);
  expect(calls.map(({ path }) => path).sort()).toEqual(["/hook", "/slack"]);
  expect(calls.find(({ path }) => path === "/slack")?.body.text).toBe("不足: 内容");
  expect(await deliveries()).toEqual([
    expect.objectContaining({
      status: "delivered",
      http_status: 200,
      attempts: 1,
      error: "",
      event: "t",
      title: "Low",
    }),
    expect.objectContaining({ status: "delivered", next_at: null, finished_at: expect.any(Number) }),
  ]);
  expect(await deliveries(userId)).toEqual([]);
  await start().dispatch(userId, ALERT);
  expect(calls.at(-1)?.path).toBe("/own");
});

test("in quiet hours an alert waits until they are over, unless it is critical", async () => {
  const id = await addDestination("slack", { url: `${url}/slack` });
  const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 16);
  const now = nowSeconds();
  const quiet = { quietFrom: clock(now - 3600), quietUntil: clock(now + 3600) };
  await database.db.update(alertDestinations).set(quiet).where(eq(alertDestinations.id, id));
  await start().dispatch("site", ALERT);
  await start().retryLater(now + 600);
  expect(calls).toEqual([]);
  expect((await deliveries())[0]).toMatchObject({ status: "pending", attempts: 0 });
  await start().dispatch("site", { ...ALERT, severity: "critical" });
  expect(calls).toHaveLength(1);
  await start().retryLater(now + 3700);
  expect(calls).toHaveLength(2);
  expect(await deliveries()).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
});

test("a digest that comes due in quiet hours, and what is tried again, wait until they are over", async () => {
  const id = await addDestination("slack", { url: `${url}/slack` });
  const set = (values: Partial<typeof alertDestinations.$inferInsert>) =>
    database.db.update(alertDestinations).set(values).where(eq(alertDestinations.id, id));
  const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 16);
  const now = nowSeconds();
  const due = (Math.floor(now / 3600) + 1) * 3600;
  const quiet = { quietFrom: clock(due), quietUntil: clock(due + 7200) };
  await set({ ...quiet, digestMinutes: 60 });
  await start().dispatch("site", ALERT);
  expect((await deliveries())[0]?.next_at).toBe(due + 7200);
  // One that was put in line before there were quiet hours.
  await database.db.update(alertDeliveries).set({ nextAt: due });
  await start().retryLater(due);
  expect(calls).toEqual([]);
  expect((await deliveries())[0]).toMatchObject({ status: "pending", attempts: 0, next_at: due + 7200 });
  await start().retryLater(due + 7200);
  expect(calls).toHaveLength(1);
});

test("nothing is sent to a destination that was disabled meanwhile, and the log says so", async () => {
  const id = await addDestination("slack", { url: `${url}/slack` });
  respond = () => new Response("", { status: 503 });
  await start().dispatch("site", ALERT);
  await database.db.update(alertDestinations).set({ enabled: false }).where(eq(alertDestinations.id, id));
  await start().retryLater(nowSeconds() + 86_400);
  expect(calls).toHaveLength(1);
  expect((await deliveries())[0]).toMatchObject({
    ...{ status: "failed", attempts: 1, next_at: null },
    error: "The destination was disabled before this alert was sent.",
  });
});

test("alerts of a destination with a digest go in one message, critical ones at once", async () => {
  const id = await addDestination("slack", { url: `${url}/slack` }, { language: "zh" });
  const pager = await addDestination("pagerduty", { routing_key: "r".repeat(32) });
  await database.db.update(alertDestinations).set({ digestMinutes: 60 });
  const only = { destinationIds: [id] };
  const now = nowSeconds();
  await start().dispatch("site", { ...ALERT, at: now - 5 }, only);
  await start().dispatch("site", { ...ALERT, at: now - 9, state: "resolved", severity: "error" }, only);
  await start().dispatch("site", ALERT, { destinationIds: [pager] });
  expect(calls.map(({ path }) => path)).toEqual(["/v2/enqueue"]);
  const due = (Math.floor(now / 3600) + 1) * 3600;
  expect((await deliveries()).map(({ next_at: next }) => next)).toEqual([null, due, due]);
  await start().dispatch("site", { ...ALERT, severity: "critical" }, only);
  expect(calls).toHaveLength(2);
  calls.length = 0;
  await start().retryLater(due);
  expect(calls.map(({ body }) => body.text)).toEqual(["2 条告警: • 已恢复：不足: 内容\n• 不足: 内容"]);
  expect((await deliveries()).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "delivered"));
});

test("an alert goes only to the destinations that its rule names, and to none when the claim fails", async () => {
  await addDestination("slack", { url: `${url}/one` });
  const two = await addDestination("slack", { url: `${url}/two` });
  await start().dispatch("site", ALERT, { destinationIds: [two] });
  expect(calls.map(({ path }) => path)).toEqual(["/two"]);
  await start().dispatch("site", ALERT, { claim: async () => false });
  expect(calls).toHaveLength(1);
  expect(await deliveries()).toHaveLength(1);
});

test("what fails is tried again with growing rests under the same id, then given up", async () => {
  await addDestination("webhook", { url: `${url}/hook`, secret: SECRET });
  respond = () => new Response("busy", { status: 503 });
  const began = nowSeconds();
  await start().dispatch("site", ALERT);
  expect((await deliveries())[0]).toMatchObject({
    status: "pending",
    http_status: 503,
    error: "HTTP 503: busy",
    attempts: 1,
  });
  await start().retryLater(began);
  expect(calls).toHaveLength(1);
  for (let round = 0; round < 8; round += 1) {
    await database.db.update(alertDeliveries).set({ nextAt: 0 });
    await start().retryLater(began);
  }
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ status: "failed", attempts: 6, next_at: null });
  expect(calls).toHaveLength(6);
  expect(new Set(calls.map(({ headers }) => headers.get("webhook-id")))).toEqual(new Set([delivery?.id ?? null]));
});

test("two processes never take the same delivery", async () => {
  await addDestination("slack", { url: `${url}/slack` });
  respond = () => new Response("", { status: 500 });
  await start().dispatch("site", ALERT);
  calls.length = 0;
  respond = () => new Response("ok");
  const later = nowSeconds() + 61;
  await Promise.all([start().retryLater(later), start().retryLater(later)]);
  expect(calls).toHaveLength(1);
  expect((await deliveries())[0]).toMatchObject({ status: "delivered", attempts: 2, error: "" });
});

test("what can never arrive fails at once, with what the service says of it", async () => {
  await addDestination("slack", { url: `${url}/slack` });
  respond = () => new Response("no_service", { status: 404 });
  await start().dispatch("site", ALERT);
  expect((await deliveries())[0]).toMatchObject({ status: "failed", error: "HTTP 404: no_service", attempts: 1 });

  const [id] = (await deliveries()).map((delivery) => delivery.id);
  respond = () => new Response("ok");
  await start().resend("site", id ?? "");
  expect((await deliveries())[0]).toMatchObject({ status: "delivered", attempts: 2, error: "" });
  await expect(start().resend(userId, id ?? "")).rejects.toMatchObject({ code: "alert_delivery_not_found" });
});

test("a service that responds 200 to everything refuses inside; no secret gets into the log", async () => {
  const token = `77:${"s".repeat(30)}`;
  await addDestination("telegram", { bot_token: token, chat_id: "1" });
  respond = () => Response.json({ ok: false, description: "Bad Request: chat not found" });
  await start().dispatch("site", ALERT);
  expect(calls[0]?.path).toBe(`/bot${token}/sendMessage`);
  const log = await deliveries();
  expect(log[0]).toMatchObject({ status: "failed", error: "Bad Request: chat not found", http_status: 200 });
  expect(JSON.stringify(await database.db.select().from(alertDeliveries))).not.toContain("ssss");
});

test("a private address is not reached unless the operator allows it", async () => {
  await addDestination("webhook", { url: `${url}/hook`, secret: SECRET });
  await start(false).dispatch("site", ALERT);
  expect(calls).toEqual([]);
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ status: "failed", http_status: null });
  expect(delivery?.error).toContain("not on the public internet");
  const inChinese = await getDelivery(database.db, "site", delivery?.id ?? "", "zh");
  expect(inChinese.error).toContain("公网");
});

test("a test is tried once, and an incident that it opens is resolved", async () => {
  const id = await addDestination("pagerduty", { routing_key: "r".repeat(32) });
  await start().test("site", id);
  expect(calls.map(({ body }) => body.event_action)).toEqual(["trigger", "resolve"]);
  expect(calls[0]?.body.dedup_key).toBe(calls[1]?.body.dedup_key);

  const slack = await addDestination("slack", { url: `${url}/slack` });
  respond = () => new Response("", { status: 503 });
  const delivery = await start().test("site", slack);
  expect(await getDelivery(database.db, "site", delivery, "en")).toMatchObject({ status: "failed", event: "test" });
  await expect(start().test(userId, slack)).rejects.toMatchObject({ code: "alert_destination_not_found" });
});

test("the log forgets deliveries after thirty days", async () => {
  await addDestination("slack", { url: `${url}/slack` });
  await start().dispatch("site", ALERT);
  await start().retryLater(nowSeconds() + 29 * 86_400);
  expect(await deliveries()).toHaveLength(1);
  await start().retryLater(nowSeconds() + 31 * 86_400);
  expect(await deliveries()).toEqual([]);
});
