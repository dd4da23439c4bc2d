import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq, like } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/gateway/logs.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import { startMailServer } from "../../../test/support/notifications.ts";

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
