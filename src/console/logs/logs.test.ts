import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { desc, eq, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { failureNote } from "../../billing/types.ts";
import type { ApiKeyView } from "../../domain/api-keys/api-key-view.ts";
import type { LogView } from "../../domain/logs/log-view.ts";
import { writeLog } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
let channelId = 0;
let key: ApiKeyView;
const NOW = nowSeconds();

beforeAll(async () => {
  app = await startTestOperations();
  await app.db.update(users).set({ quota: 1_000_000_000 });
  const channel = { name: "secret-route", key: "sk-upstream", models: "gpt-4o" };
  channelId = ((await app.ask("POST", "/api/channel/", channel, app.as.admin)).body.data as { id: number }).id;
  key = (await app.ask("POST", "/api/token/", { name: "ide", unlimited_quota: true }, app.as.user)).body
    .data as ApiKeyView;
  const mine = { userId: app.ids.user, username: "user", tokenId: key.id, tokenName: "ide", channelId };
  const attempts = [{ channelId, channelName: "secret-route", status: 200, startMs: 1, firstByteMs: 2, endMs: 3 }];
  await writeCalls(app.database, [
    ...Array.from({ length: 25 }, (_, index) => {
      const requestId = index === 7 ? `chosen~${Bun.randomUUIDv7()}` : Bun.randomUUIDv7();
      return callRecord({
        ...mine,
        requestId,
        createdAt: NOW - 100 - index,
        modelName: index % 2 ? "gpt-4o" : "o1",
        failed: index === 3,
        quota: 10,
        other: {
          request_id: requestId,
          model_ratio: 1.25,
          is_model_mapped: true,
          upstream_model_name: "real-name",
          ...(index === 3 && failureNote({ code: "gateway_timeout" })),
          admin_info: { use_channel: [String(channelId)], attempts },
        },
      });
    }),
    callRecord({ userId: app.ids.other, username: "other", createdAt: NOW - 50, modelName: "gpt-4o", quota: 77 }),
    callRecord({
      userId: app.ids.root,
      username: "root",
      tokenName: '=HYPERLINK("http://x")',
      createdAt: NOW - 60,
      content: 'says "hi", twice\nand more',
      modelName: "@sum",
      group: "-1+1",
    }),
  ]);
  await writeLog(app.db, { type: 1, userId: app.ids.user, content: "Topped up $1", quota: 500_000 });
  await writeLog(app.db, { type: 4, userId: app.ids.other, content: "Welcome" });
});
afterAll(() => app.close());

type Page = { items: LogView[]; total: number; page: number; page_size: number };
const call = async (path: string, headers = app.as.admin) => (await app.ask("GET", path, undefined, headers)).body;
const page = async (query: string, headers = app.as.admin, path = "/api/log/") =>
  (await call(`${path}?${query}`, headers)).data as Page;
const own = (query: string, headers = app.as.user) => page(query, headers, "/api/log/self");

describe("who may call", () => {
  test.each(["", "stat", "histogram", "export", "search"])(
    "GET /api/log/%s: everybody's for administrators",
    async (path) => {
      expect(await call(`/api/log/${path}`, app.as.user)).toMatchObject({ code: "permission_denied" });
      expect((await app.ask("GET", `/api/log/${path}`)).status).toBe(401);
      expect((await app.ask("GET", `/api/log/self/${path}`)).status).toBe(401);
      expect((await app.ask("DELETE", "/api/log/?target_timestamp=5", {}, app.as.user)).body.code).toBe(
        "permission_denied",
      );
    },
  );
});

describe("lists", () => {
  test("pages count from 1, with the total", async () => {
    const first = await own("p=1&page_size=10");
    expect(first).toMatchObject({ total: 26, page: 1, page_size: 10 });
    expect((await own("p=0&page_size=10")).items).toEqual(first.items);
    expect((await own("p=3&page_size=10")).items).toHaveLength(6);
    expect((await own("p=4&page_size=10")).items).toEqual([]);
    expect((await own("page_size=100000")).page_size).toBe(100);
    expect((await own("")).items).toHaveLength(10);
  });

  test("pages far back are the same rows as behind a cursor", async () => {
    const { db } = app;
    const at = NOW - 900_000;
    await db.execute(sql`
      insert into ${logs} (created_at, type, user_id, username, content)
      select ${at} - n / 7, 4, 77, 'far', 'event ' || n from generate_series(1, 1250) n`);
    const far = (query: string) => page(`type=4&user_id=77&start_timestamp=${at - 1000}&${query}`);
    const [before, behind] = [await far("page_size=100&p=10"), await far("page_size=100&p=11")];
    const last = before.items.at(-1);
    const next = await far(`page_size=100&before=${last?.created_at}-${last?.id}`);
    expect(behind.items).toHaveLength(100);
    expect(behind.items).toEqual(next.items);
    expect((await far("page_size=100&p=13")).items).toHaveLength(50);
    expect((await far("page_size=100&p=20")).items).toEqual([]);
    await db.delete(logs).where(eq(logs.userId, 77));
  });

  test("a cursor goes on where the last page ended", async () => {
    const first = await own("page_size=20");
    const last = first.items.at(-1);
    const next = await own(`page_size=20&before=${last?.created_at}-${last?.id}`);
    expect([...first.items, ...next.items].map(({ id }) => id)).toEqual(
      (await own("page_size=100")).items.map(({ id }) => id),
    );
    expect(await call("/api/log/self?before=x", app.as.user)).toMatchObject({ code: "log_cursor_invalid" });
  });

  test("pages as of a row stay where they are when rows are added", async () => {
    const { items } = await own("page_size=20");
    const [newest, behind] = [items[0], items.slice(10)];
    const asOf = `as_of=${newest?.created_at}-${newest?.id}`;
    await writeLog(app.db, { type: 4, userId: app.ids.user, content: "Since then" });
    const added = (await own("page_size=1")).items[0];
    expect(added?.content).toBe("Since then");
    expect((await own(`page_size=10&p=2&${asOf}`)).items).toEqual(behind);
    expect((await own(`page_size=10&p=2`)).items).not.toEqual(behind);
    expect(await call("/api/log/self?as_of=x", app.as.user)).toMatchObject({ code: "log_cursor_invalid" });
    await app.db.delete(logs).where(eq(logs.id, added?.id ?? 0));
  });

  test.each([
    ["type=2", 25],
    ["type=1", 1],
    ["type=0", 26],
    ["type=7", 0],
    ["model_name=o1", 13],
    ["model_name=gpt", 0],
    ["model_name=gpt%25", 12],
    ["model_name=%25_%25", 0],
    ["token_name=ide", 25],
    ["failed=true", 1],
    ["failed=false", 25],
    ["request_id=chosen", 1],
    ["request_id=chose", 0],
    ["group=vip", 0],
    [`start_timestamp=${NOW - 104}&end_timestamp=${NOW - 100}`, 5],
    [`start_timestamp=${NOW - 104.5}&end_timestamp=`, 6],
    ["type=&token_name=&model_name=&start_timestamp=&end_timestamp=&group=&token_id=", 26],
  ])("own rows with %s", async (query, rows) => {
    const { items, total } = await own(`${query}&page_size=100`);
    expect([items.length, total]).toEqual([rows, rows]);
  });

  test.each([
    ["/api/log/", "admin"],
    ["/api/log/self", "user"],
  ] as const)("%s has why a call failed in English and as a code", async (path, who) => {
    const [row] = (await page("failed=true", { ...app.as[who], "accept-language": "zh" }, path)).items;
    expect(JSON.parse(row?.other ?? "{}")).toMatchObject({
      error: "The upstream did not respond in time.",
      error_reason: { code: "gateway_timeout" },
    });
  });

  test.each([
    ["username=other", 2],
    ["username=nobody", 0],
    ["username=&channel=&p=1", 100],
    ["user_id=0&type=2", 27],
  ])("administrators: everybody's rows with %s", async (query, rows) => {
    const { items, total } = await page(`${query}&page_size=100`);
    if (rows < 100) expect([items.length, total]).toEqual([rows, rows]);
    else expect(items.length).toBeGreaterThan(27);
  });

  test("administrators see channel, attempts and user", async () => {
    const { items, total } = await page(`channel=${channelId}&username=user&page_size=1`);
    expect(total).toBe(25);
    expect(items[0]).toMatchObject({ channel: channelId, channel_name: "secret-route", username: "user" });
    expect(JSON.parse(items[0]?.other ?? "").admin_info.use_channel).toEqual([String(channelId)]);
  });

  test.each(["type=x", "channel=99999999999", "start_timestamp=1e300", "type=1.5", "p=x"])(
    "%s is refused",
    async (query) => expect((await app.ask("GET", `/api/log/?${query}`, undefined, app.as.admin)).status).toBe(400),
  );
});

describe("what users see of their own rows", () => {
  test("nothing of channels: not the number, the name or the attempts", async () => {
    const { items } = await own("type=2&page_size=100");
    expect(JSON.stringify(items)).not.toContain("secret-route");
    for (const row of items) {
      expect(row).toMatchObject({ channel: 0, channel_name: "", user_id: app.ids.user });
      expect(JSON.parse(row.other)).toEqual({
        request_id: expect.any(String),
        model_ratio: 1.25,
        is_model_mapped: true,
        upstream_model_name: "real-name",
        ...(row.failed && { error: expect.any(String), error_reason: { code: "gateway_timeout" } }),
      });
    }
    expect(new Set(items.map(({ id }) => id)).size).toBe(25);
  });

  test.each(["", "stat", "histogram", "export"])("no parameter names another user: /self/%s", async (path) => {
    const tricks = [`user_id=${app.ids.other}`, "username=other", `userId=${app.ids.other}`, `channel=${channelId}`];
    const ask = async (query: string) =>
      (await app.ask("GET", `/api/log/self/${path}?end_timestamp=${NOW}&${query}`, undefined, app.as.user)).text;
    const plain = await ask("");
    for (const trick of tricks) expect(await ask(trick)).toBe(plain);
    expect(plain).not.toContain("other,");
  });

  test("another user's own list is their own", async () => {
    expect((await own("", app.as.other)).items.map(({ type }) => type)).toEqual([4, 2]);
    expect((await own(`token_id=${key.id}`, app.as.other)).total).toBe(0);
    expect((await own("request_id=chosen", app.as.other)).total).toBe(0);
  });
});

test("sums and bars", async () => {
  expect(await call("/api/log/self/stat?type=1", app.as.user)).toMatchObject({
    data: { quota: 250, count: 25, failed: 1, rpm: 0, tpm: 0, prompt_tokens: 250, completion_tokens: 500 },
  });
  expect((await call(`/api/log/stat?username=other`)).data).toMatchObject({ quota: 77, count: 1 });
  const bars = (await call(`/api/log/self/histogram?start_timestamp=${NOW - 3600}&end_timestamp=${NOW}`, app.as.user))
    .data;
  const { buckets } = bars as { buckets: { count: number }[] };
  expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(25);
});

describe("search", () => {
  const search = async (path: string, headers = app.as.admin) => (await call(path, headers)).data as LogView[];
  test("by type and by the beginning of the text", async () => {
    expect((await search("/api/log/search?keyword=4")).map(({ content }) => content)).toEqual(["Welcome"]);
    expect((await search("/api/log/search?keyword=Wel")).map(({ username }) => username)).toEqual(["other"]);
    expect(await search("/api/log/search?keyword=elcome")).toEqual([]);
    expect(await search("/api/log/search?keyword=%25")).toEqual([]);
    expect((await search("/api/log/search")).length).toBeGreaterThan(27);
  });
  test("users find their own rows, masked", async () => {
    expect(await search("/api/log/self/search?keyword=Wel", app.as.user)).toEqual([]);
    const calls = await search(`/api/log/self/search?keyword=2&user_id=${app.ids.other}`, app.as.user);
    expect(calls).toHaveLength(25);
    expect(JSON.stringify(calls)).not.toContain("secret-route");
    expect((await search("/api/log/self/search?keyword=Top", app.as.user)).map(({ type }) => type)).toEqual([1]);
  });
});

describe("the log of one key", () => {
  test.each([
    ["in the query", () => [`?key=${key.key}`, {}]],
    ["with sk-", () => [`?key=sk-${key.key}`, {}]],
    ["as a bearer", () => ["", { authorization: `Bearer sk-${key.key}` }]],
  ] as [string, () => [string, Record<string, string>]][])(
    "is open to whoever has it %s, from any site",
    async (_, carry) => {
      const [query, headers] = carry();
      const answer = await app.ask("GET", `/api/log/token${query}`, undefined, {
        ...headers,
        origin: "https://x.example",
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.body).toMatchObject({ success: true, total: 25, page: 1 });
      expect(answer.body.data).toHaveLength(25);
      expect(answer.text).not.toContain("secret-route");
    },
  );

  test.each(["?key=sk-nonsense", "?key=", "", "?key=%25"])("is closed to %s, in both languages", async (query) => {
    const answer = await app.ask("GET", `/api/log/token${query}`);
    expect(answer.body).toMatchObject({ success: false, code: "token_key_invalid" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const chinese = await app.ask("GET", `/api/log/token${query}`, undefined, { "accept-language": "zh" });
    expect(chinese.body.message).toMatch(/[\u4e00-\u9fff]/);
  });

  test("comes in pages from 1, of 100 unless the request says otherwise", async () => {
    const pageOf = async (query: string) => (await app.ask("GET", `/api/log/token?key=${key.key}${query}`)).body;
    expect(await pageOf("")).toMatchObject({ total: 25, page: 1, page_size: 100 });
    const [first, last, beyond] = [
      await pageOf("&page_size=20"),
      await pageOf("&page_size=20&p=2"),
      await pageOf("&p=9"),
    ];
    expect([first.data, last.data, beyond.data].map((rows) => (rows as LogView[]).length)).toEqual([20, 5, 0]);
    expect(last).toMatchObject({ total: 25, page: 2, page_size: 20 });
    expect((await app.ask("GET", `/api/log/token?key=${key.key}&p=x`)).status).toBe(400);
  });

  test("no parameter adds another's rows, and a login adds nothing", async () => {
    const plain = (await app.ask("GET", `/api/log/token?key=${key.key}`)).body.data;
    for (const trick of [`user_id=${app.ids.other}`, "username=other", "token_id=0", "type=4", "token_name="]) {
      const answer = await app.ask("GET", `/api/log/token?key=${key.key}&${trick}`, undefined, app.as.admin);
      expect(answer.body.data).toEqual(plain);
    }
  });

  test("is closed to a key that was deleted, and to an old one once its time is over", async () => {
    const make = async () =>
      (await app.ask("POST", "/api/token/", { name: "brief", unlimited_quota: true }, app.as.user)).body
        .data as ApiKeyView;
    const see = async (input: string) => (await app.ask("GET", `/api/log/token?key=${input}`)).body;
    const brief = await make();
    const rotate = (seconds: number) =>
      app.ask("POST", `/api/token/${brief.id}/rotate`, { grace_seconds: seconds }, app.as.user);
    await rotate(600);
    expect(await see(brief.key)).toMatchObject({ success: true, total: 0 });
    await rotate(0);
    expect(await see(brief.key)).toMatchObject({ code: "token_key_invalid" });
    const removed = await make();
    await app.ask("DELETE", `/api/token/${removed.id}`, undefined, app.as.user);
    expect(await see(removed.key)).toMatchObject({ code: "token_key_invalid" });
  });

  test("browsers may ask first whether they may send the key", async () => {
    const { status, headers } = await app.ask("OPTIONS", "/api/log/token", undefined, { origin: "https://x.example" });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-headers")).toBe("authorization");
  });
});

describe("export", () => {
  const csv = async (path: string, headers = app.as.admin) => app.ask("GET", path, undefined, headers);

  test("quotes what has to be, and defuses formulas", async () => {
    const { text, headers } = await csv("/api/log/export?username=root&type=2");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="usage-log-\d{4}-\d\d-\d\d\.csv"$/);
    const [head, ...rows] = text.split("\r\n");
    expect(head).toMatch(/^created_at,request_id,type,/);
    expect(rows.at(-1)).toBe("");
    const row = rows.slice(0, -1).join("\r\n");
    expect(row).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(row).toContain(",'@sum,");
    expect(row).toContain(",'-1+1,");
    expect(row).toContain('"says ""hi"", twice\nand more"');
    expect(row).toStartWith(new Date((NOW - 60) * 1000).toISOString());
  });

  test("users get their own rows without the operator's columns, all of them", async () => {
    const many = Array.from({ length: 1100 }, (_, index) =>
      callRecord({ userId: app.ids.other, username: "other", createdAt: NOW - 5000 - (index % 3) }),
    );
    await writeCalls(app.database, many);
    const { text } = await csv("/api/log/self/export?type=2", app.as.other);
    const lines = text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(1 + 1 + many.length);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines[0]).not.toMatch(/channel|username|ip/);
    // Amounts in both: quota units, and dollars behind all other columns.
    const names = lines[0]?.split(",") ?? [];
    expect(names.at(-1)).toBe("quota_usd");
    const cells = lines[1]?.split(",") ?? [];
    expect(Number(cells.at(-1)) * 500_000).toBe(Number(cells[names.indexOf("quota")]));
  });
});

describe("deleting", () => {
  const remove = async (query: string) => (await app.ask("DELETE", `/api/log/?${query}`, undefined, app.as.admin)).body;
  test.each([
    ["", "log_target_time_required"],
    ["target_timestamp=0", "log_target_time_required"],
    ["target_timestamp=", "log_target_time_required"],
    [`target_timestamp=${NOW * 1000}`, "invalid_request"],
    [`target_timestamp=${NOW + 86_400}`, "log_target_time_future"],
  ])("%s is refused", async (query, code) => expect(await remove(query)).toMatchObject({ code }));

  test("who stops listening stops the clearing: the rest of the log remains, and it is written what went", async () => {
    // Longer ago than anything else here, and more than two steps delete.
    const rows = sql`select ${app.ids.other}, 4, 1000 + n, 'long ago' from generate_series(1, 4500) n`;
    await app.db.execute(sql`insert into logs (user_id, type, created_at, content) ${rows}`);
    const left = async () =>
      (await app.db.select({ id: logs.id }).from(logs).where(eq(logs.content, "long ago"))).length;
    const answer = await app.send("POST", "/api/log/clear", { target_timestamp: 10_000 }, app.as.admin);
    const reader = answer.body?.getReader();
    const line = new TextDecoder().decode((await reader?.read())?.value);
    expect(JSON.parse(line)).toEqual({ deleted: 500 });
    await reader?.cancel();
    expect(await left()).toBe(4000);
    const [written] = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(desc(logs.id)).limit(1);
    expect(JSON.parse(written?.other ?? "{}")).toMatchObject({ action: "delete", after: { deleted: 500 } });
    expect((await remove("target_timestamp=10000")).data).toBe(4000);
  });

  test("clearing reports its progress, and ends with what went", async () => {
    const clear = (target_timestamp: number, who: "admin" | "user" = "admin") =>
      app.ask("POST", "/api/log/clear", { target_timestamp }, app.as[who]);
    expect((await clear(NOW - 500, "user")).body.code).toBe("permission_denied");
    expect((await clear(NOW + 500)).body.code).toBe("log_target_time_future");
    const lines = (await clear(NOW - 1_000_000_000)).text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line)).at(-1)).toEqual({ deleted: 0, done: true });
  });

  test("older rows go, the sums stay, the log says who did it", async () => {
    const before = (await call("/api/log/stat?username=user")).data;
    expect(await remove(`target_timestamp=${NOW - 110}`)).toMatchObject({ success: true, data: 1100 + 14 });
    expect((await own("type=2")).total).toBe(11);
    expect((await call("/api/log/stat?username=user")).data).toEqual(before);
    const { items } = await page("type=3&username=admin&page_size=1");
    expect(items[0]?.content).toBe(`Deleted 1114 log rows older than ${new Date((NOW - 110) * 1000).toISOString()}`);
  });
});

test("a user under another name keeps their rows", async () => {
  expect((await app.db.select({ id: users.id }).from(users).where(eq(users.username, "user")))[0]?.id).toBe(
    app.ids.user,
  );
  await app.db.update(users).set({ username: "renamed" }).where(eq(users.id, app.ids.user));
  expect((await page("username=renamed&type=2")).total).toBe(11);
  expect((await page("username=user&type=2")).total).toBe(11);
});
