import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../lib/reason.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { createMailer } from "./mail.ts";
import { type Notice, sayNotice } from "./message.ts";
import { channelDisabled } from "./notices.ts";
import type { StoredSetting } from "./notification-setting.ts";
import { type SendDeps, sendMessage } from "./send.ts";

type Seen = { path: string; body: Record<string, unknown>; text: string; headers: Headers };

const seen: Seen[] = [];
let answer: () => Response = () => Response.json({});
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    seen.push({ path: pathname + search, text, body: JSON.parse(text), headers: request.headers });
    return answer();
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  seen.length = 0;
  answer = () => Response.json({});
});

const vault = createVault({ encryptionKey: "key of the notices' tests" });
const url = server.url.origin;

function depsWith({ allowPrivate = true, options = {} as Record<string, string> } = {}): SendDeps {
  const settings = fixedSettings({ WxPusherAppToken: "app token", ...options });
  const policy = createAddressPolicy(allowPrivate);
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  return {
    settings,
    vault,
    mailer: createMailer({ settings, policy, log }),
    fetch: createSafeFetch(policy),
    addresses: { wecom: url, dingtalk: url, wxpusher: url, bark: url },
  };
}

const NOTICE: Notice = {
  type: "quota_exceed",
  title: { en: "Low", zh: "不足" },
  content: { en: "You have {{value}} of {{value}}", zh: "剩余 {{value}} / {{value}}" },
  values: ["$1", "$2"],
  path: "/topup",
};
const message = sayNotice(NOTICE, "zh", "https://gate.example.com");
const send = (setting: StoredSetting, deps = depsWith()) => sendMessage(deps, { email: null, setting }, message);
const secret = (text: string) => vault.encrypt(text);

test("a reason of ours within a notice is in the reader's language", () => {
  const reason = { code: "why_test_slow", params: { seconds: "6.1", limit: 5 } } as const;
  const message = (language: "en" | "zh", why: Reason) =>
    sayNotice(channelDisabled({ id: 7, name: "main" }, false, why), language, "");
  expect(message("zh", reason).content).toBe("渠道「main」（#7）已被禁用，原因：测试用时 6.1 秒，超过上限 5 秒");
  expect(message("zh", reason).values).toEqual(["main", 7, "测试用时 6.1 秒，超过上限 5 秒"]);
  expect(message("en", reason).content).toEndWith("was disabled: The test took 6.1 s; the limit is 5 s");
  expect(message("zh", "401: no such key").content).toEndWith("原因：401: no such key");
});

describe("a webhook", () => {
  const setting = { notify_type: "webhook", webhook_url: `${url}/hook` };

  test("gets the notice as JSON, signed and with a bearer when there is a secret", async () => {
    await send({ ...setting, webhook_secret: secret("hush") });
    const [call] = seen;
    expect(call?.body).toEqual({
      type: "quota_exceed",
      title: "不足",
      content: "剩余 $1 / $2",
      values: ["$1", "$2"],
      timestamp: expect.any(Number),
    });
    expect(call?.headers.get("authorization")).toBe("Bearer hush");
    const signature = createHmac("sha256", "hush")
      .update(call?.text ?? "")
      .digest("hex");
    expect(call?.headers.get("x-webhook-signature")).toBe(signature);
    await send(setting);
    expect(seen[1]?.headers.has("x-webhook-signature")).toBe(false);
  });

  test("on a private address is not reached", async () => {
    const deps = depsWith({ allowPrivate: false });
    for (const address of [url, "http://0.0.0.0:1/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest"]) {
      await expect(send({ ...setting, webhook_url: address }, deps)).rejects.toMatchObject({
        message: "refused address",
        code: "notify_address_refused",
        isFinal: true,
      });
    }
    expect(seen).toEqual([]);
  });

  test("does not lead on by a redirect", async () => {
    answer = () => new Response(null, { status: 302, headers: { location: `${url}/secret` } });
    await expect(send(setting)).rejects.toThrow("too many redirects");
    expect(seen).toHaveLength(1);
  });

  test("with an endless answer is cut off", async () => {
    answer = () => new Response("x".repeat(100_000));
    await expect(send(setting)).rejects.toThrow("too large");
  });

  test.each([
    [500, false],
    [429, false],
    [404, true],
  ])("that answers %p: final is %p", async (status, isFinal) => {
    answer = () => new Response("no", { status });
    await expect(send(setting)).rejects.toMatchObject({ isFinal });
  });

  test("goes through the site's fetch worker", async () => {
    const deps = depsWith({ options: { WorkerUrl: `${url}/worker`, WorkerValidKey: "worker key" } });
    await send({ ...setting, webhook_url: "https://hook.example.com/x" }, deps);
    expect(seen[0]).toMatchObject({
      path: "/worker/",
      body: {
        url: "https://hook.example.com/x",
        key: "worker key",
        method: "POST",
        body: expect.stringContaining("剩余"),
      },
    });
  });
});

describe("other ways", () => {
  const plain = "不足\n剩余 $1 / $2\n打开控制台: https://gate.example.com/topup";

  test("the enterprise WeChat robot", async () => {
    answer = () => Response.json({ errcode: 0 });
    await send({ notify_type: "wecom", wecom_key: secret("k&1") });
    expect(seen[0]).toMatchObject({ path: "/cgi-bin/webhook/send?key=k%261", body: { text: { content: plain } } });
    answer = () => Response.json({ errcode: 93000, errmsg: "invalid webhook url" });
    await expect(send({ notify_type: "wecom", wecom_key: secret("k") })).rejects.toThrow("invalid webhook url");
  });

  test("the DingTalk robot, signed, with mentions", async () => {
    answer = () => Response.json({ errcode: 0 });
    await send({
      notify_type: "dingtalk",
      dingtalk_token: secret("t"),
      dingtalk_secret: secret("SEC"),
      dingtalk_mobiles: ["13800000000"],
    });
    expect(seen[0]?.body).toMatchObject({
      text: { content: `${plain}\n@13800000000` },
      at: { atMobiles: ["13800000000"], isAtAll: false },
    });
    const query = new URL(url + seen[0]?.path).searchParams;
    const timestamp = query.get("timestamp");
    expect(query.get("sign")).toBe(createHmac("sha256", "SEC").update(`${timestamp}\nSEC`).digest("base64"));
  });

  test("WxPusher", async () => {
    answer = () => Response.json({ code: 1000 });
    await send({ notify_type: "wxpusher", wxpusher_uid: "UID_x" });
    expect(seen[0]).toMatchObject({ path: "/api/send/message", body: { appToken: "app token", uids: ["UID_x"] } });
  });

  test("Bark, at the public server or one's own", async () => {
    answer = () => Response.json({ code: 200 });
    await send({ notify_type: "bark", bark_key: secret("device") });
    await send({ notify_type: "bark", bark_key: secret("device"), bark_url: `${url}/own/` });
    expect(seen.map(({ path }) => path)).toEqual(["/push", "/own/push"]);
    expect(seen[0]?.body).toMatchObject({ device_key: "device", title: "不足", url: "https://gate.example.com/topup" });
  });

  test("Gotify and ntfy", async () => {
    await send({ notify_type: "gotify", gotify_url: url, gotify_token: secret("g") });
    expect(seen[0]?.path).toBe("/message");
    expect(seen[0]?.headers.get("x-gotify-key")).toBe("g");
    await send({ notify_type: "ntfy", ntfy_url: `${url}/my-topic`, ntfy_token: secret("n") });
    expect(seen[1]).toMatchObject({ path: "/", body: { topic: "my-topic", title: "不足" } });
    expect(seen[1]?.headers.get("authorization")).toBe("Bearer n");
  });

  test("mail without an address or a server says so", async () => {
    await expect(send({})).rejects.toThrow("no e-mail address");
    await expect(send({ notification_email: "a@example.com" })).rejects.toThrow("mail_not_configured");
  });
});
