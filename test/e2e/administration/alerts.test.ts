/** The executable sends alerts to every service: what each receives, and what the log of deliveries says. */
import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { startFakeReceivers } from "../../support/e2e/fake-receivers.ts";
import { setUp, startGateway } from "../../support/e2e/fixture.ts";

const receivers = await startFakeReceivers();
afterAll(receivers.stop);
const { url, secureUrl } = receivers;
const gateway = await startGateway({
  env: {
    ...{ TELEGRAM_API_URL: url, PAGERDUTY_BASE_URL: url, OPSGENIE_BASE_URL: url },
    ALLOW_PRIVATE_WEBHOOKS: "true",
    NODE_EXTRA_CA_CERTS: receivers.certificate,
  },
});
afterAll(gateway.stop);
const root = await setUp(gateway);

const KEY = "k".repeat(32);
const SECRET = `whsec_${Buffer.from(KEY).toString("base64")}`;
const ROUTING_KEY = "r".repeat(32);
const BOT_TOKEN = `42:${"t".repeat(30)}`;
const LARK = `${secureUrl}/open-apis/bot/v2/hook/of-the-tests`;

const CONFIGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slack: { url: `${secureUrl}/services/T/B/x` },
  teams: { url: `${secureUrl}/workflows/x` },
  lark: { url: LARK, secret: "hush" },
  discord: { url: `${secureUrl}/api/webhooks/1/x` },
  telegram: { bot_token: BOT_TOKEN, chat_id: "-1001" },
  pagerduty: { routing_key: ROUTING_KEY },
  opsgenie: { api_key: "key-of-the-tests" },
  webhook: { url: `${secureUrl}/hook`, secret: SECRET },
};

async function tryDestination(type: string) {
  const input = { type, name: type, language: "en", enabled: true, config: CONFIGS[type] ?? {} };
  const { id } = await root.post("/api/alerts/destinations?scope=site", input);
  const count = receivers.count();
  const delivery = await root.post(`/api/alerts/destinations/${id}/test?scope=site`);
  return { id, delivery, received: await receivers.after(count) };
}

test.each([
  ["slack", "/services/T/B/x", { text: "Test alert: Alerts reach you here." }],
  ["teams", "/workflows/x", { type: "message" }],
  ["discord", "/api/webhooks/1/x", { allowed_mentions: { parse: [] } }],
  ["telegram", `/bot${BOT_TOKEN}/sendMessage`, { chat_id: "-1001", text: "Test alert\nAlerts reach you here." }],
  ["pagerduty", "/v2/enqueue", { routing_key: ROUTING_KEY, event_action: "trigger" }],
  ["opsgenie", "/v2/alerts", { message: "Test alert" }],
])("a test alert reaches %s", async (type, path, body) => {
  const { delivery, received } = await tryDestination(type);
  expect(delivery).toMatchObject({ status: "delivered", http_status: 200, destination_name: type });
  expect(received.path).toBe(path);
  expect(received.body).toMatchObject(body);
});

test("what Lark gets is signed with the bot's secret", async () => {
  const { delivery, received } = await tryDestination("lark");
  expect(delivery.status).toBe("delivered");
  const { timestamp, sign } = received.body;
  expect(sign).toBe(createHmac("sha256", `${timestamp}\nhush`).digest("base64"));
});

test("a webhook is signed by Standard Webhooks, and keeps its id when it is sent again", async () => {
  const { id, delivery, received } = await tryDestination("webhook");
  const verify = ({ headers, text }: typeof received) => {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", KEY).update(signed).digest("base64")}`);
    expect(headers["webhook-id"]).toBe(delivery.id);
  };
  verify(received);
  const count = receivers.count();
  await root.post(`/api/alerts/deliveries/${delivery.id}/resend?scope=site`);
  verify(await receivers.after(count));
  const log = await root.get(`/api/alerts/deliveries?scope=site&destination_id=${id}`);
  expect(log).toMatchObject({ total: 1, items: [{ id: delivery.id, status: "delivered", attempts: 2 }] });
});

test("a rule that comes true is sent to its destination by the job, once", async () => {
  const { id } = await tryDestination("webhook");
  const amount = (await root.get("/api/user/self")).quota + 500_000;
  const own = await root.post("/api/alerts/destinations?scope=own", {
    ...{ type: "webhook", name: "mine", language: "zh", enabled: true },
    config: CONFIGS.webhook ?? {},
  });
  const rule = { event: "balance_low", threshold: amount, window_minutes: 0, enabled: true };
  const count = receivers.count();
  await root.post("/api/alerts/rules/?scope=own", { ...rule, destination_ids: [own.id] });
  await root.post("/api/jobs/alert%20rules/run");
  const received = await receivers.after(count);
  expect(received.body).toMatchObject({ type: "balance_low", data: { state: "firing", title: "余额不足" } });
  const log = await root.get(`/api/alerts/deliveries?scope=site&destination_id=${id}`);
  expect(log.total).toBe(1);
});

test("no answer shows a secret", async () => {
  const answers = JSON.stringify([
    await root.get("/api/alerts/destinations?scope=site"),
    await root.get("/api/alerts/deliveries?scope=site&page_size=100"),
  ]);
  for (const secret of [SECRET, ROUTING_KEY, BOT_TOKEN, "key-of-the-tests", "/services/T/B/x", "hush"]) {
    expect(answers).not.toContain(secret);
  }
});
