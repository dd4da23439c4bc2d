import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import { startMailServer } from "../../../test/support/notifications.ts";
import { channelDisabled } from "../../domain/notifications/notices.ts";

let app: TestConsole;
let push: ReturnType<typeof Bun.serve>;
let post: Awaited<ReturnType<typeof startMailServer>>;
let scannedBy: string | null = null;
const requests: Record<string, unknown>[] = [];

beforeAll(async () => {
  post = await startMailServer();
  push = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/fun/scan-qrcode-uid") return Response.json({ code: 1000, data: scannedBy });
      requests.push(await request.json());
      if (pathname === "/api/send/message") return Response.json({ code: 1000 });
      return Response.json({ code: 1000, data: { code: "qr", url: "http://push.example.com/qr.png" } });
    },
  });
  app = await startTestConsole(undefined, undefined, { wxpusher: push.url.origin });
});
afterAll(async () => {
  await app.close();
  await post.stop();
  await push.stop(true);
});

const settingOf = async (id: number) => (await app.db.select().from(users).where(eq(users.id, id)))[0]?.setting;

describe("notification settings", () => {
  test.each([
    [{ notify_type: "wecom" }, "notify_field_required"],
    [{ notify_type: "dingtalk" }, "notify_field_required"],
    [{ notify_type: "gotify", gotify_url: "https://push.example.com" }, "notify_field_required"],
    [{ notify_type: "ntfy", ntfy_url: "http://ntfy.example.com/t" }, "webhook_url_invalid"],
    [{ notify_type: "bark", bark_key: "k", bark_url: "file:///etc/passwd" }, "webhook_url_invalid"],
    [{ notify_type: "wxpusher" }, "notify_push_not_bound"],
    [{ dingtalk_mobiles: ["call me"] }, "notify_mobiles_invalid"],
    [{ notification_email: "a@example.com\r\nbcc: b@example.com" }, "notification_email_invalid"],
  ])("%p is refused: %s", async (body, code) => {
    const name = `u${Bun.hash(JSON.stringify(body)).toString(36).slice(0, 8)}`;
    await app.addUser(name);
    expect((await app.ask("PUT", "/api/user/setting", body, await app.login(name))).body.code).toBe(code);
  });

  test("keep every secret encrypted, show none, and forget unknown events and fields", async () => {
    const id = await app.addUser("sue");
    const sue = await app.login("sue");
    const saved = await app.ask(
      "PUT",
      "/api/user/setting",
      {
        notify_type: "dingtalk",
        dingtalk_token: "ding token",
        dingtalk_secret: "ding secret",
        wecom_key: "wecom key",
        notify_events: ["low_balance", "made_up"],
        wxpusher_uid: "UID_somebody",
        language: "zh",
      },
      sue,
    );
    expect(saved.body.success).toBe(true);
    const stored = await settingOf(id);
    expect(JSON.stringify(stored)).not.toMatch(/ding token|ding secret|wecom key|UID_somebody/);
    expect(stored).toMatchObject({ notify_events: ["low_balance"], language: "zh" });
    await app.addUser("boss", "root");
    const boss = await app.login("boss");
    for (const [path, headers] of [
      ["/api/user/self", sue],
      [`/api/user/${id}`, boss],
    ] as const) {
      const shown = await app.ask("GET", path, undefined, headers);
      expect(shown.text).not.toMatch(/ding token|ding secret|wecom key|v1\./);
      const setting = JSON.parse((shown.body.data as { setting: string }).setting);
      expect(setting).toMatchObject({ dingtalk_token: "", dingtalk_token_set: true, wecom_key_set: true });
    }
  });

  test("a test message goes the chosen way, or says why not", async () => {
    const id = await app.addUser("tom");
    const tom = await app.login("tom");
    const tryIt = () => app.ask("POST", "/api/user/setting/test", {}, tom);
    expect((await tryIt()).body).toMatchObject({ success: false, code: "notify_no_email" });
    await app.settings.set("SMTPServer", "127.0.0.1");
    await app.settings.set("SMTPPort", String(post.port));
    await app.settings.set("SMTPFrom", "gate@example.com");
    await app.db.update(users).set({ email: "tom@example.com" }).where(eq(users.id, id));
    expect((await tryIt()).body.success).toBe(true);
    expect(post.received.at(-1)?.to).toEqual(["tom@example.com"]);
    const answers = [];
    for (let times = 0; times < 9; times += 1) answers.push((await tryIt()).status);
    expect(answers).toEqual([...Array(8).fill(200), 429]);
  });
});

describe("the push service", () => {
  test("is bound by a QR code, notified, and unbound", async () => {
    const id = await app.addUser("una");
    const una = await app.login("una");
    const call = (method: string, path: string, body?: object) => app.ask(method, `/api/user/push${path}`, body, una);
    expect((await call("POST", "/code")).body.code).toBe("push_off");
    await app.settings.set("WxPusherAppToken", "app token");
    await app.settings.set("WxPusherEnabled", "true");
    const code = await call("POST", "/code");
    expect(code.body.data).toEqual({ code: "qr", url: "https://push.example.com/qr.png", expires_in: 300 });
    expect(requests.at(-1)).toMatchObject({ appToken: "app token", extra: String(id) });
    expect((await call("POST", "/bind", { code: "qr" })).body.data).toEqual({ bound: false });
    scannedBy = "UID_una";
    expect((await call("POST", "/bind", { code: "qr" })).body.data).toEqual({ bound: true });
    await app.ask("PUT", "/api/user/setting", { notify_type: "wxpusher" }, una);
    expect((await app.ask("POST", "/api/user/setting/test", {}, una)).body.success).toBe(true);
    expect(requests.at(-1)).toMatchObject({ uids: ["UID_una"] });
    expect((await call("DELETE", "")).body.success).toBe(true);
    expect(await settingOf(id)).toMatchObject({ notify_type: "email" });
  });
});

test("the super admin is notified of a disabled channel, not of each of its failures", async () => {
  const [root] = await app.db.select({ id: users.id }).from(users).where(eq(users.role, 100)).limit(1);
  await app.db
    .update(users)
    .set({ email: "root@example.com" })
    .where(eq(users.id, root?.id ?? 0));
  const before = post.received.length;
  const notice = channelDisabled({ id: 7, name: "<b>Main</b>" }, false, "HTTP 401");
  for (let times = 0; times < 5; times += 1) app.notifier.notifyRoot(notice);
  await until(() => post.received.length >= before + 2);
  // A notification too many would arrive with the others.
  await Bun.sleep(100);
  const mails = post.received.slice(before);
  expect(mails.map(({ to }) => to)).toEqual([["root@example.com"], ["root@example.com"]]);
  expect(mails[0]?.text).toContain("&lt;b&gt;Main&lt;/b&gt;");
  expect(mails[0]?.text).toContain("HTTP 401");
});
