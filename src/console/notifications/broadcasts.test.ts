import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq, like } from "drizzle-orm";
import { pendingNotices } from "../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { broadcastDeliveries, broadcasts } from "../../../db/schema/notifications/announcements.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import { startMailServer } from "../../../test/support/notifications.ts";
import { broadcastNotice } from "../../domain/notifications/broadcasts/resend-broadcast.ts";
import { FIRST_REST_SECONDS, keepNotice } from "../../domain/notifications/pending-notices.ts";

let app: TestConsole;
let post: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  post = await startMailServer();
  app = await startTestConsole();
  await app.settings.set("SMTPServer", "127.0.0.1");
  await app.settings.set("SMTPPort", String(post.port));
  await app.settings.set("SMTPFrom", "gate@example.com");
});
afterAll(async () => {
  await app.close();
  await post.stop();
});

type Listed = { total: number; items: { id: number }[] };

const NEWS = { event: "promotion", title: "Half {{value}} price", content: "Only <b>today</b> {{value}}" };

test("notifies subscribers, and nobody else", async () => {
  await app.addUser("root", "root");
  const root = await app.login("root");
  await app.addUser("admin", "admin");
  const addressed = async (name: string, setting: object, row = {}) => {
    const id = await app.addUser(name);
    await app.db
      .update(users)
      .set({ email: `${name}@example.com`, setting: { ...setting }, ...row })
      .where(eq(users.id, id));
  };
  await addressed("wants", { notify_events: ["promotion"] });
  await addressed("letters", { notify_events: ["contact"] });
  await addressed("default", {});
  await addressed("banned", { notify_events: ["promotion"] }, { status: 2 });
  const id = await app.addUser("nowhere");
  await app.db
    .update(users)
    .set({ setting: { notify_events: ["promotion"] } })
    .where(eq(users.id, id));

  const ask = (method: string, body?: object, headers = root) => app.ask(method, "/api/broadcast/", body, headers);
  expect((await ask("POST", NEWS, await app.login("admin"))).body.code).toBe("permission_denied");
  expect((await ask("POST", { ...NEWS, title: " " })).body.code).toBe("broadcast_text_required");
  expect((await ask("POST", { ...NEWS, event: "low_balance" })).status).toBe(400);
  expect((await ask("POST", NEWS)).body.success).toBe(true);
  expect((await ask("POST", NEWS)).body.code).toBe("broadcast_under_way");
  const { data } = await until(
    async () => (await ask("GET")).body,
    ({ data }) => !(data as { is_running: boolean }).is_running,
  );
  expect(data).toMatchObject({ is_running: false, delivered: 1, failed: 1, event: "promotion" });
  expect(post.received.map(({ to }) => to)).toEqual([["wants@example.com"]]);
  expect(post.received[0]?.text).toContain("Only <b>today</b> {{value}}");
  expect(post.received[0]?.text).toContain("Only &lt;b&gt;today&lt;/b&gt; {{value}}");

  const list = (await app.ask("GET", "/api/broadcast/history", undefined, root)).body.data as Listed;
  expect(list).toMatchObject({
    total: 1,
    items: [{ title: NEWS.title, sender: "root", status: "finished", delivered: 1, failed: 1 }],
  });
  const receivers = await app.ask("GET", `/api/broadcast/history/${list.items[0]?.id}`, undefined, root);
  expect(receivers.body.data).toMatchObject({
    total: 2,
    items: [
      { username: "nowhere", method: "email", is_delivered: false },
      { username: "wants", method: "email", is_delivered: true },
    ],
  });
  expect((await app.ask("GET", "/api/broadcast/history", undefined, await app.login("admin"))).body.code).toBe(
    "permission_denied",
  );

  const stops = () => app.db.select().from(logs).where(like(logs.content, "Stopped notifying everybody%"));
  await ask("DELETE");
  expect(await stops()).toEqual([]);
  // One may be over before it is stopped: then the next is.
  const [stopped] = await until(
    async () => {
      await ask("POST", NEWS);
      await ask("DELETE");
      return stops();
    },
    (rows) => rows.length > 0,
  );
  expect(JSON.parse(stopped?.other ?? "")).toMatchObject({
    note: { code: "broadcast_stopped", params: { title: NEWS.title } },
    action: "disable",
    after: { event: "promotion" },
  });
  await until(async () => !((await ask("GET")).body.data as { is_running: boolean }).is_running);
});

test("sends a failed one again by hand, to one user or to all whom it did not reach, and counts each once", async () => {
  await app.addUser("writer", "root");
  const root = await app.login("writer");
  await app.db.update(users).set({ setting: { notify_events: [] } });
  const names = ["ann", "bob", "cid"];
  const ids: number[] = [];
  for (const name of names) {
    const id = await app.addUser(name);
    ids.push(id);
    await app.db
      .update(users)
      .set({ setting: { notify_events: ["contact"] } })
      .where(eq(users.id, id));
  }
  await app.ask("POST", "/api/broadcast/", { event: "contact", title: "Letter", content: "Text" }, root);
  const progress = () => app.ask("GET", "/api/broadcast/", undefined, root);
  const over = () =>
    until(
      async () => (await progress()).body.data as { is_running: boolean; delivered: number; failed: number },
      (state) => !state.is_running,
    );
  expect(await over()).toMatchObject({ delivered: 0, failed: 3 });
  const history = async () =>
    ((await app.ask("GET", "/api/broadcast/history", undefined, root)).body.data as Listed).items[0];
  const id = (await history())?.id ?? 0;
  const resend = async (body: object, headers = root) =>
    (await app.ask("POST", `/api/broadcast/history/${id}/resend`, body, headers)).body;
  const [ann = 0, bob = 0, cid = 0] = ids;
  const setEmail = (userId: number, email: string) => app.db.update(users).set({ email }).where(eq(users.id, userId));

  expect((await resend({ user_id: ann }, await app.login("ann"))).code).toBe("permission_denied");
  expect((await resend({ user_id: ann })).code).toBe("notify_no_email");
  expect(await history()).toMatchObject({ delivered: 0, failed: 3 });
  await setEmail(ann, "ann@example.com");
  // Twice at the same moment, and later once more: one message.
  const codes = (await Promise.all([resend({ user_id: ann }), resend({ user_id: ann })])).map(({ code }) => code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect((await resend({ user_id: ann })).code).toBe("broadcast_delivered");
  const lettersTo = (name: string) => post.received.filter(({ to }) => to.includes(`${name}@example.com`)).length;
  expect(lettersTo("ann")).toBe(1);
  expect(await history()).toMatchObject({ delivered: 1, failed: 2 });
  const [entry] = await app.db.select().from(logs).where(like(logs.content, "Sent a notification to ann again%"));
  expect(JSON.parse(entry?.other ?? "")).toMatchObject({
    note: { code: "broadcast_resent", params: { title: "Letter", username: "ann" } },
  });

  await setEmail(bob, "bob@example.com");
  await setEmail(cid, "cid@example.com");
  // Who no longer subscribes is left alone.
  await app.db.update(users).set({ setting: {} }).where(eq(users.id, cid));
  expect((await resend({ user_id: cid })).code).toBe("broadcast_unsubscribed");
  expect((await resend({})).success).toBe(true);
  expect(await over()).toMatchObject({ delivered: 1, failed: 1 });
  expect([lettersTo("ann"), lettersTo("bob"), lettersTo("cid")]).toEqual([1, 1, 0]);
  expect(await history()).toMatchObject({ delivered: 2, failed: 1, status: "finished" });
  expect((await app.ask("POST", "/api/broadcast/history/999999/resend", {}, root)).body.code).toBe(
    "broadcast_not_found",
  );
});

test("what a later try delivers is delivered in the history, and sent by hand no more", async () => {
  const root = await app.login("writer");
  const id = await app.addUser("dora");
  const hook: string[] = [];
  let isUp = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (!isUp) return new Response("down", { status: 503 });
      hook.push(await request.text());
      return new Response("ok");
    },
  });
  try {
    await app.db
      .update(users)
      .set({ setting: { notify_events: ["contact"], notify_type: "webhook", webhook_url: server.url.href } })
      .where(eq(users.id, id));
    const [sent] = await app.db
      .insert(broadcasts)
      .values({
        ...{ createdAt: 1, reportedAt: 1, senderName: "root", event: "contact", title: "Late", content: "Text" },
        ...{ status: "finished", delivered: 0, failed: 1 },
      })
      .returning({ id: broadcasts.id });
    const broadcastId = sent?.id ?? 0;
    await app.db
      .insert(broadcastDeliveries)
      .values({ broadcastId, userId: id, method: "email", isDelivered: false, sentAt: 1 });
    const notice = broadcastNotice({ id: broadcastId, event: "contact", title: "Late", content: "Text" });
    await keepNotice(app.db, id, notice, 0);
    const resend = async () =>
      (await app.ask("POST", `/api/broadcast/history/${broadcastId}/resend`, { user_id: id }, root)).body.code;
    expect(await resend()).toBe("notify_failed");
    isUp = true;
    await app.notifier.retryLater(FIRST_REST_SECONDS);
    expect(hook).toHaveLength(1);
    expect(await resend()).toBe("broadcast_delivered");
    const [stored] = await app.db.select().from(broadcasts).where(eq(broadcasts.id, broadcastId));
    expect(stored).toMatchObject({ delivered: 1, failed: 0 });
    const [delivery] = await app.db.select().from(broadcastDeliveries).where(eq(broadcastDeliveries.userId, id));
    expect(delivery).toMatchObject({ isDelivered: true, method: "webhook" });
    expect(await app.db.select().from(pendingNotices)).toEqual([]);
  } finally {
    await server.stop(true);
  }
});
