import { createHmac } from "node:crypto";
import { nowSeconds } from "../../lib/clock.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { NotifyAddresses } from "../../server/config.ts";
import type { Mailer } from "./mail.ts";
import { writeMail } from "./mail.ts";
import type { Message } from "./message.ts";
import type { NotifyType, StoredSetting } from "./notification-setting.ts";
import { NotifyError, type PostDeps, parseRecord, post } from "./post.ts";

export type SendDeps = PostDeps &
  Readonly<{
    vault: Vault;
    mailer: Mailer;
    addresses: NotifyAddresses;
  }>;

export type Receiver = Readonly<{ email: string | null; setting: StoredSetting }>;

type Way = (deps: SendDeps, receiver: Receiver, message: Message) => Promise<void>;

/** Hands a message over, once. Throws NotifyError, or OperationError of the mailer. */
export const sendMessage = (deps: SendDeps, receiver: Receiver, message: Message): Promise<void> =>
  WAYS[(receiver.setting.notify_type as NotifyType | undefined) ?? "email"](deps, receiver, message);

const WAYS: Readonly<Record<NotifyType, Way>> = {
  async email({ mailer, settings }, { email, setting }, { title, content, link }) {
    const to = text(setting, "notification_email") || email;
    if (!to) throw new NotifyError("no e-mail address", true, { code: "notify_no_email" });
    const subject = `${settings.get("SystemName")}: ${title}`;
    await mailer.send(writeMail(to, { subject, paragraphs: [content], ...(link && { link }) }));
  },
  async webhook(deps, { setting }, { type, title, content, values }) {
    const body = JSON.stringify({ type, title, content, values, timestamp: nowSeconds() });
    const secret = secretOf(deps, setting, "webhook_secret");
    const headers = {
      "content-type": "application/json",
      ...(secret && {
        authorization: `Bearer ${secret}`,
        "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex"),
      }),
    };
    await post(deps, text(setting, "webhook_url"), { headers, body }, { throughWorker: true });
  },
  async wecom(deps, { setting }, message) {
    const key = encodeURIComponent(secretOf(deps, setting, "wecom_key"));
    const answer = await postJson(deps, `${deps.addresses.wecom}/cgi-bin/webhook/send?key=${key}`, {
      msgtype: "text",
      text: { content: plain(message) },
    });
    requireCode(answer.errcode, 0, answer.errmsg);
  },
  async dingtalk(deps, { setting }, message) {
    const query = new URLSearchParams({ access_token: secretOf(deps, setting, "dingtalk_token") });
    const secret = secretOf(deps, setting, "dingtalk_secret");
    if (secret) {
      const timestamp = String(Date.now());
      query.set("timestamp", timestamp);
      query.set("sign", createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64"));
    }
    const mobiles = Array.isArray(setting.dingtalk_mobiles) ? setting.dingtalk_mobiles.map(String) : [];
    const answer = await postJson(deps, `${deps.addresses.dingtalk}/robot/send?${query}`, {
      msgtype: "text",
      // Whom the robot mentions must be named in the text, too.
      text: { content: [plain(message), mobiles.map((mobile) => `@${mobile}`).join(" ")].filter(Boolean).join("\n") },
      at: { atMobiles: mobiles, isAtAll: false },
    });
    requireCode(answer.errcode, 0, answer.errmsg);
  },
  async wxpusher(deps, { setting }, message) {
    const answer = await postJson(deps, `${deps.addresses.wxpusher}/api/send/message`, {
      appToken: deps.settings.get("WxPusherAppToken"),
      content: plain(message),
      summary: message.title.slice(0, 20),
      contentType: 1,
      uids: [text(setting, "wxpusher_uid")],
      ...(message.link && { url: message.link.address }),
    });
    requireCode(answer.code, 1000, answer.msg);
  },
  async bark(deps, { setting }, { title, content, link }) {
    const server = text(setting, "bark_url").replace(/\/+$/, "") || deps.addresses.bark;
    const body = { title, body: content, ...(link && { url: link.address }) };
    const answer = await postJson(deps, `${server}/push`, { ...body, device_key: secretOf(deps, setting, "bark_key") });
    requireCode(answer.code, 200, answer.message);
  },
  async gotify(deps, { setting }, message) {
    const server = text(setting, "gotify_url").replace(/\/+$/, "");
    const headers = { "x-gotify-key": secretOf(deps, setting, "gotify_token") };
    await postJson(
      deps,
      `${server}/message`,
      { title: message.title, message: plain(message, ""), priority: 5 },
      headers,
    );
  },
  async ntfy(deps, { setting }, { title, content, link }) {
    const address = new URL(text(setting, "ntfy_url"));
    const token = secretOf(deps, setting, "ntfy_token");
    const topic = address.pathname.replace(/^\/+|\/+$/g, "");
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    // As JSON to the root: headers cannot carry Chinese.
    await postJson(
      deps,
      address.origin,
      { topic, title, message: content, ...(link && { click: link.address }) },
      headers,
    );
  },
};

const text = (setting: StoredSetting, name: string): string => String(setting[name] ?? "");

function secretOf({ vault }: SendDeps, setting: StoredSetting, name: string): string {
  const cipher = text(setting, name);
  return cipher === "" ? "" : vault.decrypt(cipher);
}

const plain = ({ title, content, link }: Message, heading = title): string =>
  [heading, content, link && `${link.label}: ${link.address}`].filter(Boolean).join("\n");

async function postJson(
  deps: SendDeps,
  address: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const response = await post(deps, address, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return parseRecord(response.text);
}

/** These services answer 200 whatever happens, and say inside what did. */
function requireCode(input: unknown, expected: number, reason: unknown): void {
  if (input === expected) return;
  const message = reason ?? input;
  throw new NotifyError(message == null ? { code: "why_refused" } : String(message).slice(0, 200), true);
}
