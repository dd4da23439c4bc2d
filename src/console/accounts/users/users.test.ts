import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, eq, like } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import type { UserView } from "../../../domain/accounts/users/user-view.ts";

let app: TestConsole;
const ids: Record<string, number> = {};
const headers: Record<string, Record<string, string>> = {};
beforeAll(async () => {
  app = await startTestConsole();
  const people = { user: "user", user2: "user", admin: "admin", admin2: "admin", root: "root" } as const;
  for (const [name, role] of Object.entries(people)) {
    ids[name] = await app.addUser(name, role);
    headers[name] = await app.login(name);
  }
});
afterAll(() => app.close());

const manage = (actor: string, target: string, action: string) =>
  app.ask("POST", "/api/user/manage", { id: ids[target], action }, headers[actor]);

describe("user administration", () => {
  test.each([
    ["admin", "admin2", "disable", "user_out_of_reach"],
    ["admin", "root", "demote", "user_out_of_reach"],
    ["admin", "admin", "demote", "user_out_of_reach"],
    ["admin", "user", "promote", "only_root_promotes"],
    ["root", "root", "disable", "root_cannot_be_disabled"],
    ["root", "root", "demote", "root_cannot_be_demoted"],
    ["root", "root", "delete", "root_cannot_be_deleted"],
    ["root", "user", "demote", "already_ordinary"],
    ["root", "admin", "promote", "already_admin"],
    ["admin", "user", "crown", "unknown_user_action"],
    ["user", "user2", "disable", "permission_denied"],
  ])("%s cannot make %s %s", async (actor, target, action, code) => {
    expect((await manage(actor, target, action)).body).toMatchObject({ success: false, code });
  });

  test("promote, demote, disable, enable and delete answer role and status", async () => {
    expect((await manage("root", "user2", "promote")).body.data).toEqual({ role: 10, status: 1 });
    expect((await manage("root", "user2", "demote")).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage("admin", "user2", "disable")).body.data).toEqual({ role: 1, status: 2 });
    expect((await manage("admin", "user2", "enable")).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage("admin", "user2", "delete")).body.success).toBe(true);
    expect((await manage("admin", "user2", "enable")).body.code).toBe("user_not_found");
  });

  test("admins see users below them, without secrets", async () => {
    const seen = await app.ask("GET", `/api/user/${ids.user}`, undefined, headers.admin);
    expect(seen.body.data).toMatchObject({
      username: "user",
      quota: 0,
      used_quota: 0,
      request_count: 0,
      access_token: "",
    });
    const refused = await app.ask("GET", `/api/user/${ids.admin2}`, undefined, headers.admin);
    expect(refused.body.code).toBe("user_out_of_reach");
    expect((await app.ask("GET", `/api/user/${ids.admin}`, undefined, headers.admin)).body.success).toBe(true);
    expect((await app.ask("GET", "/api/user/99999", undefined, headers.root)).body.code).toBe("user_not_found");
  });
});

describe("many at once", () => {
  type Outcome = { id: number; success: boolean; message: string };
  const batch = async (actor: string, body: object) =>
    (await app.ask("POST", "/api/user/manage/batch", body, headers[actor])).body;
  const rowsOf = (id: number) =>
    app.db.$count(logs, and(eq(logs.type, 3), like(logs.content, `%(#${id})`), eq(logs.userId, ids.admin ?? 0)));
  const standing = async (id: number) => {
    const [row] = await app.db.select().from(users).where(eq(users.id, id));
    return row && { status: row.status, group: row.group, isDeleted: row.deletedAt !== null };
  };
  let some: number[];
  beforeAll(async () => {
    some = [await app.addUser("many-a"), await app.addUser("many-b")];
  });

  test("each by the rules of a single act, with a log row each; who is out of reach keeps nobody back", async () => {
    const session = await app.login("many-a");
    const requests = [ids.admin2, ...some, ids.root, ids.admin, 99_999, some[0]];
    const { data } = await batch("admin", { ids: requests, action: "disable" });
    const reported = (data as Outcome[]).map(({ id, success, message }) => [id, success ? "" : message]);
    const refusal = "You cannot manage users of an equal or higher role.";
    expect(reported).toEqual([
      [ids.admin2, refusal],
      [some[0], ""],
      [some[1], ""],
      [ids.root, refusal],
      [ids.admin, refusal],
      [99_999, "This user does not exist."],
    ] as never);
    for (const id of some) expect(await standing(id)).toMatchObject({ status: 2 });
    expect(await standing(ids.admin2 ?? 0)).toMatchObject({ status: 1 });
    expect((await app.ask("GET", "/api/user/self", undefined, session)).status).toBe(401);
    expect(await Promise.all(some.map(rowsOf))).toEqual([1, 1]);
  });

  test("what is so already leaves no row", async () => {
    expect((await batch("admin", { ids: some, action: "disable" })).data).toMatchObject([
      { success: true },
      { success: true },
    ]);
    expect(await Promise.all(some.map(rowsOf))).toEqual([1, 1]);
    await batch("admin", { ids: some, action: "enable" });
    expect(await standing(some[0] ?? 0)).toMatchObject({ status: 1 });
    expect(await Promise.all(some.map(rowsOf))).toEqual([2, 2]);
  });

  test("another group, with an error in the reader's language where there is none such", async () => {
    expect((await batch("admin", { ids: some, action: "group", group: "svip" })).success).toBe(true);
    for (const id of some) expect(await standing(id)).toMatchObject({ group: "svip" });
    const requests = { ids: [some[0]], action: "group", group: "no-such" };
    const chinese = { ...headers.admin, "accept-language": "zh-CN" };
    const answer = await app.ask("POST", "/api/user/manage/batch", requests, chinese);
    expect(answer.body.data).toEqual([{ id: some[0], success: false, message: "分组 no-such 不存在。" }]);
  });

  test("deregistered", async () => {
    await batch("admin", { ids: some, action: "delete" });
    for (const id of some) expect(await standing(id)).toMatchObject({ isDeleted: true });
  });

  test.each([
    ["admin", { ids: [], action: "enable" }, "user_selection_required"],
    ["admin", { ids: [1], action: "group" }, "user_group_required"],
    ["admin", { ids: [1], action: "promote" }, "invalid_request"],
    ["admin", { ids: [1] }, "invalid_request"],
    ["admin", { ids: Array.from({ length: 501 }, (_, at) => at + 1), action: "enable" }, "invalid_request"],
    ["user", { ids: [1], action: "enable" }, "permission_denied"],
  ])("%s asking for %p is refused", async (actor, body, code) => {
    expect(await batch(actor, body)).toMatchObject({ success: false, code });
  });
});

describe("creating and changing", () => {
  const create = async (body: object, as = "admin") => (await app.ask("POST", "/api/user/", body, headers[as])).body;
  const change = async (body: object, as = "admin") => (await app.ask("PUT", "/api/user/", body, headers[as])).body;
  const rowOf = async (id: number) => (await app.db.select().from(users).where(eq(users.id, id)))[0];

  test("an added user is an ordinary one, with the quota for new users, and can log in", async () => {
    await app.settings.set("QuotaForNewUser", "700");
    const made = await create({ username: "newbie", password: "long enough", display_name: "New", role: 1 });
    const { id } = made.data as { id: number };
    expect(await rowOf(id)).toMatchObject({ username: "newbie", displayName: "New", role: 1, quota: 700 });
    await app.login("newbie", "long enough");
    await app.settings.set("QuotaForNewUser", "0");
    const [row] = await app.db
      .select()
      .from(logs)
      .where(eq(logs.content, `Created user newbie (#${id})`));
    expect(row).toMatchObject({ type: 3, userId: ids.admin });
  });

  test.each([
    [{ username: " ", password: "long enough" }, "user_credentials_required"],
    [{ username: "a", password: "" }, "user_credentials_required"],
    [{ username: "thirteen chars", password: "long enough" }, "username_too_long"],
    [{ username: "a", password: "long enough", display_name: "d".repeat(21) }, "display_name_too_long"],
    [{ username: "a", password: "short" }, "password_length"],
    [{ username: "admin", password: "long enough" }, "username_taken"],
    [{ username: "a", password: "long enough", role: 10 }, "user_out_of_reach"],
  ])("%p is not created", async (body, code) => {
    expect(await create(body)).toMatchObject({ success: false, code });
  });

  test("only the fields sent change; quota goes up and down by a delta", async () => {
    const id = await app.addUser("edited");
    const all = { quota: 1000, note: "pays late", max_concurrency: 3, requests_per_minute: 60, display_name: "Ed" };
    expect((await change({ id, ...all })).data).toMatchObject({ ...all, username: "edited", group: "default" });
    expect((await change({ id, quota_delta: 500 })).data).toMatchObject({ quota: 1500, note: "pays late" });
    expect((await change({ id, quota_delta: -1500 })).data).toMatchObject({ quota: 0 });
    expect(await change({ id, quota_delta: -1 })).toMatchObject({ code: "user_quota_negative" });
    const seen = (await app.ask("GET", "/api/user/self", undefined, await app.login("edited"))).body.data;
    expect(seen).not.toHaveProperty("note");
  });

  test("long names of imported users may come back as they are, and no new ones", async () => {
    const id = await app.addUser("imported");
    const long = { username: "imported-by-name", displayName: "A name of more than twenty characters" };
    await app.db.update(users).set(long).where(eq(users.id, id));
    const input = { id, username: long.username, display_name: long.displayName, note: "came along" };
    expect((await change(input)).data).toMatchObject(input);
    expect(await rowOf(id)).toMatchObject({ ...long, note: "came along" });
    expect(await change({ ...input, username: "another-long-name" })).toMatchObject({ code: "username_too_long" });
    const renamed = { ...input, display_name: `${long.displayName}!` };
    expect(await change(renamed)).toMatchObject({ code: "display_name_too_long" });
  });

  test("100 simultaneous additions all count", async () => {
    const id = await app.addUser("busy");
    await Promise.all(Array.from({ length: 100 }, () => change({ id, quota_delta: 7 })));
    expect(await rowOf(id)).toMatchObject({ quota: 700 });
  });

  test("the log has before and after, and no password; a new password ends sessions", async () => {
    const id = await app.addUser("logged");
    const session = await app.login("logged");
    await change({ id, quota_delta: 5, password: "another one" });
    const rows = await app.db
      .select()
      .from(logs)
      .where(eq(logs.content, `Changed user logged (#${id})`));
    expect(JSON.parse(rows[0]?.other ?? "")).toMatchObject({
      user_id: id,
      quota_delta: 5,
      before: { quota: 0 },
      after: { quota: 5, password: "changed" },
    });
    expect(JSON.stringify(rows)).not.toContain("another one");
    expect((await app.ask("GET", "/api/user/self", undefined, session)).status).toBe(401);
    await app.login("logged", "another one");
  });

  test.each([
    [{ group: "no-such" }, "user_group_unknown"],
    [{ username: "admin" }, "username_taken"],
    [{ password: "short" }, "password_length"],
    [{ quota: 1.5 }, "user_quota_invalid"],
    [{ quota: -1 }, "user_quota_negative"],
    [{ max_concurrency: -1 }, "user_limit_invalid"],
    [{ requests_per_minute: 1.5 }, "user_limit_invalid"],
    [{ note: "n".repeat(1001) }, "user_note_too_long"],
    [{ role: 10 }, "user_out_of_reach"],
  ])("%p is refused", async (fields, code) => {
    expect(await change({ id: ids.user, ...fields })).toMatchObject({ success: false, code });
  });

  test("nobody changes or deletes an equal", async () => {
    expect(await change({ id: ids.admin2, quota: 1 })).toMatchObject({ code: "user_out_of_reach" });
    expect(await change({ id: ids.admin, quota_delta: 1 })).toMatchObject({ code: "user_out_of_reach" });
    expect(await change({ id: ids.root, quota: 1 })).toMatchObject({ code: "user_out_of_reach" });
    expect(await change({ id: ids.user2, quota: 1 }, "user")).toMatchObject({ code: "permission_denied" });
    const refused = await app.ask("DELETE", `/api/user/${ids.admin2}`, undefined, headers.admin);
    expect(refused.body).toMatchObject({ success: false, code: "user_out_of_reach" });
    expect(await change({ id: ids.admin2, quota: 1 }, "root")).toMatchObject({ success: true });
  });

  test("the CSV holds everybody and starts no formula", async () => {
    const id = await app.addUser("csv");
    await change({ id, note: "=1+1" });
    const { text, headers: sent } = await app.ask("GET", "/api/user/export?keyword=csv", undefined, headers.admin);
    expect(sent.get("content-type")).toContain("text/csv");
    expect(text).toContain(`${id},csv,csv,`);
    expect(text).toContain("'=1+1");
    expect(text).toMatch(/,quota_usd,used_quota_usd\r\n/);
    const refused = await app.ask("GET", "/api/user/export", undefined, headers.user);
    expect(refused.body.code).toBe("permission_denied");
  });
});

describe("sorting", () => {
  /** Name, quota, calls, last sign-in. */
  const people = [
    ["sort-b", 300, 1, null],
    ["sort-a", 100, 3, 5000],
    ["sort-c", 300, 2, 4000],
  ] as const;
  beforeAll(async () => {
    for (const [username, quota, requestCount, lastLoginAt] of people) {
      const id = await app.addUser(username);
      await app.db.update(users).set({ quota, requestCount, lastLoginAt }).where(eq(users.id, id));
    }
  });
  const names = async (query: string, path = "search") => {
    const { body } = await app.ask("GET", `/api/user/${path}?page_size=100&${query}`, undefined, headers.admin);
    const { items } = body.data as { items: { username: string }[] };
    return items.map(({ username }) => username.replace("sort-", ""));
  };

  test.each([
    ["", ["c", "a", "b"]],
    ["sort=", ["c", "a", "b"]],
    ["sort=id&order=asc", ["b", "a", "c"]],
    ["sort=username&order=asc", ["a", "b", "c"]],
    ["sort=quota", ["c", "b", "a"]],
    ["sort=quota&order=asc", ["a", "c", "b"]],
    ["sort=last_login_time", ["a", "c", "b"]],
    ["sort=last_login_time&order=asc", ["b", "c", "a"]],
    ["order=request_count", ["a", "c", "b"]],
    ["order=nonsense", ["c", "a", "b"]],
  ])("a search with %p → %p", async (query, expected) =>
    expect(await names(`keyword=sort-&${query}`)).toEqual(expected),
  );

  test("the whole list, and pages that overlap nowhere", async () => {
    const all = await names("sort=quota", "");
    expect(all.filter((name) => /^[abc]$/.test(name))).toEqual(["c", "b", "a"]);
    expect(all).toContain("admin");
    const pages = await Promise.all([1, 2, 3].map((p) => names(`keyword=sort-&sort=quota&page_size=1&p=${p}`)));
    expect(pages.flat()).toEqual(["c", "b", "a"]);
  });

  test("by nothing else", async () =>
    expect((await app.ask("GET", "/api/user/?sort=password_hash", undefined, headers.admin)).status).toBe(400));
});

describe("what administrators did", () => {
  const written = () => app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);

  test("each action is in the log with who, whom, before and after; refused ones are not", async () => {
    const [count, id] = [(await written()).length, await app.addUser("watched")];
    ids.watched = id;
    for (const [actor, action] of [
      ["admin", "promote"],
      ["root", "promote"],
      ["root", "demote"],
      ["admin", "disable"],
      ["admin", "delete"],
    ] as const)
      await manage(actor, "watched", action);
    const rows = (await written()).slice(count);
    expect(rows.map(({ userId, content }) => [userId, content])).toEqual([
      [ids.root as number, `Promoted user watched (#${id})`],
      [ids.root as number, `Demoted user watched (#${id})`],
      [ids.admin as number, `Disabled user watched (#${id})`],
      [ids.admin as number, `Deleted user watched (#${id})`],
    ]);
    expect(rows.map(({ other }) => JSON.parse(other))).toMatchObject([
      { user_id: id, before: { role: 1, status: 1 }, after: { role: 10, status: 1 } },
      { before: { role: 10 }, after: { role: 1 } },
      { before: { status: 1 }, after: { status: 2 } },
      { before: { role: 1, status: 2 }, after: { deleted: true } },
    ]);
  });

  test("a changed option is in the log by name, never by value", async () => {
    const set = (key: string, value: string) => app.ask("PUT", "/api/option/", { key, value }, headers.root);
    const count = (await written()).length;
    await set("SMTPToken", "very-secret-token");
    await set("NoSuchOption", "x");
    await app.ask("POST", "/api/option/rest_model_ratio", {}, headers.root);
    const rows = (await written()).slice(count);
    expect(rows.map(({ content }) => content)).toEqual([
      "Changed the option SMTPToken",
      "Reset the option ModelRatio to its default",
    ]);
    expect(JSON.stringify(rows)).not.toContain("very-secret-token");
  });
});

describe("lists of users", () => {
  type Page = { items: UserView[]; total: number; page: number; page_size: number };
  const list = async (path: string, as = "admin") =>
    (await app.ask("GET", `/api/user/${path}`, undefined, headers[as])).body.data as Page;
  const names = async (path: string) => (await list(path)).items.map(({ username }) => username);

  test("newest first, deleted ones included, without secrets", async () => {
    const all = await list("?page_size=100");
    expect(all).toMatchObject({ page: 1, page_size: 100, total: all.items.length });
    expect(all.items.map(({ id }) => id)).toEqual(all.items.map(({ id }) => id).toSorted((a, b) => b - a));
    const removed = all.items.find(({ username }) => username === "user2");
    expect(removed?.DeletedAt).toMatch(/^\d{4}-/);
    expect(all.items.find(({ username }) => username === "user")).toMatchObject({ DeletedAt: null, password: "" });
  });

  test("pages count from 1; 0 means 1", async () => {
    const first = await list("?p=1&page_size=2");
    expect(first.items).toHaveLength(2);
    expect(await list("?p=0&page_size=2")).toEqual(first);
    expect((await list("?p=2&page_size=2")).items[0]?.id).toBeLessThan(first.items[1]?.id as number);
    expect((await list("?p=&page_size=")).page_size).toBe(10);
  });

  test("search by parts of names and e-mail, by the whole id, by group; wildcards mean themselves", async () => {
    const set = { email: "Ann@Mail.example", displayName: "50% off", group: "vip" };
    await app.db.update(users).set(set).where(eq(users.username, "user"));
    expect(await names("search?keyword=ann@mail")).toEqual(["user"]);
    expect(await names("search?keyword=50%25")).toEqual(["user"]);
    expect(await names("search?keyword=%25%25")).toEqual([]);
    expect(await names("search?keyword=_")).toEqual([]);
    expect(await names("search?keyword=ADMIN")).toEqual(["admin2", "admin"]);
    expect(await names(`search?keyword=${ids.root}`)).toContain("root");
    expect(await names("search?group=vip")).toEqual(["user"]);
    expect(await names("search?keyword=admin&group=vip")).toEqual([]);
  });

  test.each(["", "search"])("/%s is for administrators", async (path) => {
    const refused = await app.ask("GET", `/api/user/${path}`, undefined, headers.user);
    expect(refused.body.code).toBe("permission_denied");
    expect((await app.ask("GET", `/api/user/${path}`)).status).toBe(401);
  });
});
