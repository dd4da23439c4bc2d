import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import { startMailServer } from "../../../test/support/notifications.ts";
import type { AnnouncementView } from "../../domain/notifications/announcements.ts";
import { nowSeconds } from "../../lib/clock.ts";

type Headers = Record<string, string>;
let app: TestConsole;
let post: Awaited<ReturnType<typeof startMailServer>>;
const as = {} as Record<"root" | "admin" | "ann" | "bob", Headers>;
beforeAll(async () => {
  post = await startMailServer();
  app = await startTestConsole();
  await app.settings.set("SMTPServer", "127.0.0.1");
  await app.settings.set("SMTPPort", String(post.port));
  await app.settings.set("SMTPFrom", "gate@example.com");
  for (const [name, role] of Object.entries({ root: "root", admin: "admin", ann: "user", bob: "user" } as const)) {
    const id = await app.addUser(name, role);
    await app.db
      .update(users)
      .set({ createdAt: nowSeconds() - 1000 })
      .where(eq(users.id, id));
    as[name as keyof typeof as] = await app.login(name);
  }
});
afterAll(async () => {
  await app.close();
  await post.stop();
});

const news = (title: string, input: object = {}) => ({
  level: "info",
  title,
  content: `**${title}**`,
  published_at: nowSeconds() - 60,
  ...input,
});
const call = async (method: string, path: string, headers: Headers, body?: object) =>
  (await app.ask(method, `/api/announcement${path}`, body, headers)).body;
const received = async (headers: Headers) =>
  (await call("GET", "/", headers)).data as { unread: number; items: (AnnouncementView & { is_read: boolean })[] };
const make = async (title: string, input: object = {}) =>
  (await call("POST", "/", as.root, news(title, input))).data as AnnouncementView;

test("is shown to users from its time on, newest first, until each has read it", async () => {
  const first = await make("First", { published_at: nowSeconds() - 500 });
  await make("Later", { published_at: nowSeconds() + 3600 });
  const second = await make("Second", { level: "critical" });
  await make("Before the account", { published_at: nowSeconds() - 5000 });

  const seen = await received(as.ann);
  expect(seen.items.map(({ title, is_read }) => [title, is_read])).toEqual([
    ["Second", false],
    ["First", false],
    ["Before the account", true],
  ]);
  expect(seen.unread).toBe(2);
  await call("POST", "/read", as.ann, { ids: [second.id] });
  await call("POST", "/read", as.ann, { ids: [second.id] });
  expect(await received(as.ann)).toMatchObject({ unread: 1, items: [{ is_read: true }, { is_read: false }, {}] });
  expect((await received(as.bob)).unread).toBe(2);
  await call("POST", "/read", as.bob, {});
  expect((await received(as.bob)).unread).toBe(0);
  expect((await received(as.ann)).unread).toBe(1);

  const all = await call("GET", "/all?p=1&page_size=2", as.root);
  expect(all.data).toMatchObject({ total: 4, page: 1, items: [{ title: "Later" }, { title: "Second" }] });
  const put = { id: first.id, ...news("First, corrected", { level: "warning" }) };
  expect((await call("PUT", "/", as.root, put)).data).toMatchObject({ title: "First, corrected", level: "warning" });
  expect((await call("DELETE", `/${second.id}`, as.root)).success).toBe(true);
  expect((await received(as.ann)).items.map(({ title }) => title)).toEqual(["First, corrected", "Before the account"]);
  expect((await call("DELETE", `/${second.id}`, as.root)).code).toBe("announcement_not_found");
  expect((await call("PUT", "/", as.root, { ...put, id: 9999 })).code).toBe("announcement_not_found");
});

test("subscribers of announcements are notified when the request asks for it", async () => {
  await app.db.update(users).set({ email: "ann@example.com" }).where(eq(users.username, "ann"));
  await make("Quiet");
  const later = news("Then", { notify: true, published_at: nowSeconds() + 3600 });
  expect((await call("POST", "/", as.root, later)).code).toBe("announcement_notify_later");
  await make("Loud", { notify: true });
  await until(() => post.received.length > 0);
  expect(post.received.map(({ to }) => to)).toEqual([["ann@example.com"]]);
  expect(post.received[0]?.text).toContain("Loud");
  const { items } = (await call("GET", "/all?page_size=100", as.root)).data as { items: AnnouncementView[] };
  expect(items.map(({ title }) => title)).not.toContain("Then");
});

test.each([
  [{ level: "loud" }, "announcement_level_invalid"],
  [{ title: " " }, "broadcast_text_required"],
  [{ content: "x".repeat(5001) }, "broadcast_too_long"],
  [{ published_at: 0 }, "announcement_time_invalid"],
  [{ published_at: 1.5 }, "announcement_time_invalid"],
])("%o is refused in both languages", async (input, code) => {
  const answer = await call("POST", "/", { ...as.root, "accept-language": "zh" }, news("News", input));
  expect(answer).toMatchObject({ success: false, code });
  expect(answer.message).toMatch(/[\u4e00-\u9fff]/);
});

test("only super admins write, only people who are signed in read", async () => {
  for (const [method, path, body] of [
    ["GET", "/all", undefined],
    ["POST", "/", news("x")],
    ["PUT", "/", { id: 1, ...news("x") }],
    ["DELETE", "/1", undefined],
  ] as const) {
    for (const person of [as.admin, as.ann]) {
      expect((await call(method, path, person, body)).code).toBe("permission_denied");
    }
  }
  expect((await app.ask("GET", "/api/announcement/")).status).toBe(401);
  expect((await app.ask("POST", "/api/announcement/read", {})).status).toBe(401);
});
