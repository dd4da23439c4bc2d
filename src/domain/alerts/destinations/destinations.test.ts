/** What each service documents of its requests, and what it is sent. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { isWebhookSecret, signWebhook } from "../../../lib/security/webhook-signature.ts";
import { readConfig } from "../../../server/config.ts";
import type { DestinationConfig } from "../../logs/sinks/destination-config.ts";
import { mergeConfig, viewConfig } from "../../logs/sinks/destination-config.ts";
import { type Alert, sayAlert } from "../alert.ts";
import { DESTINATION_TYPES, type DestinationTypeName, destinationType } from "./destination-types.ts";

const ALERT: Alert = {
  key: "channel/7",
  state: "firing",
  severity: "error",
  at: 1_790_000_000,
  notice: {
    type: "channel_disabled",
    title: { en: "A channel was disabled", zh: "渠道已被自动禁用" },
    content: { en: "{{value}}", zh: "{{value}}" },
    values: ["<b>main</b> & @everyone"],
    path: "/channel",
  },
};
const CONTENT = "<b>main</b> & @everyone";
const LINK = "https://gate.example.com/channel";
const NOW = 1_790_000_060;

function build(
  name: DestinationTypeName,
  config: DestinationConfig,
  change: Partial<Alert> = {},
  language: "en" | "zh" = "en",
) {
  const alert = sayAlert({ ...ALERT, ...change }, language, { site: "Lock 7", address: "https://gate.example.com" });
  const addresses = readConfig({}).alertAddresses;
  const request = destinationType(name).buildRequest(config, alert, { id: "msg_1", language, now: NOW, addresses });
  const body = JSON.stringify(request.body);
  return { url: request.url, body: JSON.parse(body), text: body, headers: request.headers?.(body) ?? {} };
}

const SECRET = `whsec_${Buffer.from("a".repeat(32)).toString("base64")}`;

test("Slack gets blocks whose text is never markup", () => {
  const { url, body } = build("slack", { url: "https://hooks.slack.com/services/T/B/x" });
  expect(url).toBe("https://hooks.slack.com/services/T/B/x");
  expect(body).toEqual({
    text: "A channel was disabled: &lt;b&gt;main&lt;/b&gt; &amp; @everyone",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "A channel was disabled" } },
      { type: "section", text: { type: "plain_text", text: CONTENT } },
      { type: "section", text: { type: "mrkdwn", text: `<${LINK}|Open the console>` } },
    ],
  });
  const long = build("slack", { url: "https://x.test" }, { notice: { ...ALERT.notice, values: ["😀".repeat(4000)] } });
  expect([...long.body.blocks[1].text.text]).toHaveLength(3000);
});

test("Teams gets one adaptive card in a message", () => {
  const { body } = build("teams", { url: "https://flow.test/x" });
  expect(body).toMatchObject({
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null }],
  });
  expect(body.attachments[0].content).toMatchObject({
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      { type: "TextBlock", text: "A channel was disabled", color: "Attention" },
      { type: "RichTextBlock", inlines: [{ type: "TextRun", text: CONTENT }] },
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open the console", url: LINK }],
  });
  const resolved = build("teams", { url: "https://flow.test/x" }, { state: "resolved" });
  expect(resolved.body.attachments[0].content.body[0]).toMatchObject({
    text: "Resolved: A channel was disabled",
    color: "Good",
  });
});

describe("Lark", () => {
  test("gets a rich text in the destination's language, signed where the bot has a secret", () => {
    const { body } = build("lark", { url: "https://open.feishu.cn/hook", secret: "hush" }, {}, "zh");
    expect(body).toEqual({
      timestamp: String(NOW),
      sign: createHmac("sha256", `${NOW}\nhush`).update("").digest("base64"),
      msg_type: "post",
      content: {
        post: {
          zh_cn: {
            title: "渠道已被自动禁用",
            content: [[{ tag: "text", text: CONTENT }], [{ tag: "a", text: "打开控制台", href: LINK }]],
          },
        },
      },
    });
    const unsigned = build("lark", { url: "https://open.larksuite.com/hook" });
    expect(Object.keys(unsigned.body)).toEqual(["msg_type", "content"]);
    expect(unsigned.body.content.post.en_us.title).toBe("A channel was disabled");
  });

  test.each([
    [{ code: 0, msg: "success" }, undefined],
    [{ StatusCode: 0, StatusMessage: "success" }, undefined],
    [{ code: 19021, msg: "sign match fail" }, "sign match fail"],
    [{ code: 9499 }, "code 9499"],
    [{}, "code undefined"],
  ])("responds %o: %p", (response, rejection) => {
    expect(DESTINATION_TYPES.lark.findRejection?.(response)).toBe(rejection);
  });
});

test("Discord gets an embed that mentions nobody", () => {
  expect(build("discord", { url: "https://discord.com/api/webhooks/1/x" }).body).toEqual({
    embeds: [
      {
        title: "A channel was disabled",
        description: CONTENT,
        color: 0xdc_26_26,
        timestamp: "2026-09-21T14:13:20.000Z",
        url: LINK,
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

test("Telegram gets plain text in a chat, and in a topic of it", () => {
  const config = { bot_token: "123:abc", chat_id: "-100123" };
  const { url, body } = build("telegram", config);
  expect(url).toBe("https://api.telegram.org/bot123:abc/sendMessage");
  expect(body).toEqual({
    chat_id: "-100123",
    text: `A channel was disabled\n${CONTENT}\nOpen the console: ${LINK}`,
    link_preview_options: { is_disabled: true },
  });
  expect(build("telegram", { ...config, thread_id: "5" }).body.message_thread_id).toBe(5);
  expect(DESTINATION_TYPES.telegram.findRejection?.({ ok: false, description: "chat not found" })).toBe(
    "chat not found",
  );
  expect(DESTINATION_TYPES.telegram.findRejection?.({ ok: true, result: {} })).toBeUndefined();
});

test("PagerDuty's incident is triggered and resolved by one key, in the account's region", () => {
  const routing_key = "r".repeat(32);
  const { url, body } = build("pagerduty", { routing_key });
  expect(url).toBe("https://events.pagerduty.com/v2/enqueue");
  expect(body).toEqual({
    routing_key,
    event_action: "trigger",
    dedup_key: "channel/7",
    payload: {
      summary: `A channel was disabled: ${CONTENT}`,
      source: "gate.example.com",
      severity: "error",
      timestamp: "2026-09-21T14:13:20.000Z",
      class: "channel_disabled",
      custom_details: { title: "A channel was disabled", content: CONTENT },
    },
    client: "Lock 7",
    client_url: "https://gate.example.com",
    links: [{ href: LINK, text: "Open the console" }],
  });
  const resolved = build("pagerduty", { routing_key, region: "eu" }, { state: "resolved" });
  expect(resolved.url).toBe("https://events.eu.pagerduty.com/v2/enqueue");
  expect(resolved.body).toEqual({ routing_key, event_action: "resolve", dedup_key: "channel/7" });
});

test("Opsgenie's alert is created and closed by its alias, in the account's region", () => {
  const { url, body, headers } = build("opsgenie", { api_key: "key-of-the-tests" });
  expect(url).toBe("https://api.opsgenie.com/v2/alerts");
  expect(headers).toEqual({ authorization: "GenieKey key-of-the-tests" });
  expect(body).toEqual({
    message: "A channel was disabled",
    alias: "channel/7",
    description: `${CONTENT}\n${LINK}`,
    source: "Lock 7",
    priority: "P2",
    tags: ["channel_disabled"],
  });
  const closed = build("opsgenie", { api_key: "key-of-the-tests", region: "eu" }, { state: "resolved" });
  expect(closed.url).toBe("https://api.eu.opsgenie.com/v2/alerts/channel%2F7/close?identifierType=alias");
  expect(closed.body).toEqual({ source: "Lock 7", note: `Resolved: A channel was disabled: ${CONTENT}` });
});

describe("a webhook", () => {
  test("is signed by Standard Webhooks over the bytes of its body", () => {
    const { url, body, text, headers } = build("webhook", { url: "https://hook.test/x", secret: SECRET });
    expect(url).toBe("https://hook.test/x");
    expect(body).toEqual({
      type: "channel_disabled",
      timestamp: "2026-09-21T14:13:20.000Z",
      data: {
        key: "channel/7",
        state: "firing",
        severity: "error",
        title: "A channel was disabled",
        content: CONTENT,
        values: [CONTENT],
        link: LINK,
      },
    });
    const signature = createHmac("sha256", "a".repeat(32)).update(`msg_1.${NOW}.${text}`).digest("base64");
    expect(headers).toEqual({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(NOW),
      "webhook-signature": `v1,${signature}`,
    });
  });

  test("has the signature of the specification's example", () => {
    // From the reference libraries' tests: https://github.com/standard-webhooks/standard-webhooks
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };
    expect(signWebhook(secret, message)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    expect(isWebhookSecret(secret)).toBe(true);
  });

  test.each(["", "hush", "whsec_", "whsec_short", `whsec_${"a".repeat(31)}!`, `whsec_${"A".repeat(100)}`])(
    "refuses the secret %p",
    (secret) => expect(isWebhookSecret(secret)).toBe(false),
  );
});

describe("a configuration", () => {
  const { telegram, pagerduty, webhook, slack } = DESTINATION_TYPES;
  const token = `1:${"a".repeat(30)}`;

  test.each([
    [telegram, { bot_token: token }, "alert_field_required"],
    [telegram, { bot_token: "nonsense", chat_id: "1" }, "alert_field_invalid"],
    [telegram, { bot_token: `${token}/../x`, chat_id: "1" }, "alert_field_invalid"],
    [pagerduty, { routing_key: "r".repeat(32), region: "mars" }, "alert_field_invalid"],
    [webhook, { url: "http://hook.test", secret: SECRET }, "webhook_url_invalid"],
    [webhook, { url: "https://hook.test", secret: "hush" }, "alert_secret_invalid"],
    [slack, { url: "file:///etc/passwd" }, "webhook_url_invalid"],
  ])("is refused: %#", (type, input, code) => {
    expect(() => mergeConfig(type, {}, input as Record<string, string>)).toThrow(code);
  });

  test("keeps secrets that are sent empty, forgets optional fields that are, and ignores others", () => {
    const stored = { bot_token: token, chat_id: "@night_ops", thread_id: "4" };
    expect(mergeConfig(telegram, stored, { bot_token: "", thread_id: "", other: "x" })).toEqual({
      bot_token: token,
      chat_id: "@night_ops",
    });
  });

  test("is shown without its secrets", () => {
    expect(viewConfig(telegram, { bot_token: token, chat_id: "@night_ops" })).toEqual({
      config: { chat_id: "@night_ops" },
      secrets_set: ["bot_token"],
      target: "@night_ops",
    });
    expect(viewConfig(slack, { url: "https://hooks.slack.com/services/secret" })).toEqual({
      config: {},
      secrets_set: ["url"],
      target: "hooks.slack.com",
    });
  });
});
