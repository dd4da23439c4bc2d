import { afterAll, beforeAll, expect, test } from "bun:test";
import { logs } from "../../../db/schema/logs/logs.ts";
import { readFromPrimary } from "../../../db/server/replica.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import type { AuditEntry } from "../../domain/logs/audit/list-audit.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { auditRoutes } from "./audit.ts";

let app: TestConsole;
let admin: Record<string, string>;
let rootId: number;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) =>
    auditRoutes({ ...services, reads: readFromPrimary(services.db) }, guarded),
  );
  const adminId = await app.addUser("admin", "admin");
  rootId = await app.addUser("root", "root");
  await app.addUser("user");
  admin = await app.login("admin");
  const note = { code: "user_disabled", params: { name: "ann", id: 9 } } as const;
  const change = { note, action: "disable" as const, before: { status: 1 }, after: { status: 2 } };
  await writeManagementLog(app.db, { id: adminId }, "Disabled user ann (#9)", change);
  await writeManagementLog(app.db, { id: rootId }, "Changed the option 50%", {
    note: { code: "option_changed", params: { key: "50%" } },
    action: "update",
  });
  await writeLog(app.db, { type: LOG_TYPE.system, userId: adminId, content: "Quota for a new user" });
});
afterAll(() => app.close());

const list = async (query = "") =>
  (await app.ask("GET", `/api/audit/${query}`, undefined, admin)).body.data as { items: AuditEntry[]; total: number };
const contents = async (query: string) => (await list(query)).items.map(({ content }) => content);

test("only what administrators did, newest first, with before and after", async () => {
  const { items, total } = await list();
  expect(total).toBe(2);
  expect(items).toMatchObject([
    { username: "root", content: "Changed the option 50%", action: "update", before: {}, after: {} },
    {
      username: "admin",
      note: { code: "user_disabled", params: { name: "ann", id: 9 } },
      action: "disable",
      before: { status: 1 },
      after: { status: 2 },
    },
  ]);
});

test("by who, what, which and when", async () => {
  expect(await contents("?actor=admin")).toEqual(["Disabled user ann (#9)"]);
  expect(await contents(`?actor=${rootId}`)).toEqual(["Changed the option 50%"]);
  expect(await contents("?action=disable")).toEqual(["Disabled user ann (#9)"]);
  expect(await contents("?target=ANN")).toEqual(["Disabled user ann (#9)"]);
  expect(await contents("?target=%25%25")).toEqual([]);
  expect(await contents(`?start_timestamp=${nowSeconds() + 100}`)).toEqual([]);
  expect(await contents(`?end_timestamp=${nowSeconds() + 100}&page_size=1&p=2`)).toEqual(["Disabled user ann (#9)"]);
});

test("in the words of other languages: by the notes that have them", async () => {
  expect(await contents(`?target=${encodeURIComponent("禁用了用户")}`)).toEqual([]);
  expect(await contents(`?target=${encodeURIComponent("禁用了用户")}&notes=user_disabled`)).toEqual([
    "Disabled user ann (#9)",
  ]);
  expect(await contents("?target=50%25&notes=user_disabled.user_enabled")).toHaveLength(2);
  expect(await contents("?notes=user.option")).toEqual([]);
  expect((await app.ask("GET", "/api/audit/?notes=a%7Cb", undefined, admin)).status).toBe(400);
});

test("oldest first on request", async () =>
  expect(await contents("?order=asc")).toEqual(["Disabled user ann (#9)", "Changed the option 50%"]));

test("as CSV: what fits, with before and after", async () => {
  const { text } = await app.ask("GET", "/api/audit/export?action=disable", undefined, admin);
  const [head, line, ...rest] = text.trim().split("\r\n");
  expect(head).toBe("created_at,user_id,username,action,content,before,after");
  expect(line).toMatch(
    /^[\d-]+T[\d:.]+Z,\d+,admin,disable,Disabled user ann \(#9\),"\{""status"":1\}","\{""status"":2\}"$/,
  );
  expect(rest).toEqual([]);
  const all = await app.ask("GET", "/api/audit/export", undefined, admin);
  expect(all.text.trim().split("\r\n")).toHaveLength(3);
});

test("rows from elsewhere whose details are none that can be read are shown with what they have", async () => {
  const broken = ["{broken", '"a text"', '{"admin_info":{"note":"\\u0000"}}', '["disable"]'];
  const row = { createdAt: nowSeconds(), type: LOG_TYPE.management, userId: rootId, username: "root" };
  const rows = broken.map((other, at) => ({ ...row, content: `From elsewhere ${at}`, other }));
  await app.db.insert(logs).values(rows);
  const { items } = await list("?target=elsewhere");
  expect(items.map(({ content }) => content).sort()).toEqual(rows.map(({ content }) => content));
  for (const item of items)
    expect(item).toMatchObject({ username: "root", note: null, action: "", before: {}, after: {} });
  expect(await contents("?action=disable")).toEqual(["Disabled user ann (#9)"]);
  const { text } = await app.ask("GET", "/api/audit/export", undefined, admin);
  expect(text).toContain("From elsewhere 3");
});

test("is for administrators", async () => {
  const file = await app.ask("GET", "/api/audit/export", undefined, await app.login("user"));
  expect(file.body.code).toBe("permission_denied");
  const refused = await app.ask("GET", "/api/audit/", undefined, await app.login("user"));
  expect(refused.body.code).toBe("permission_denied");
  expect((await app.ask("GET", "/api/audit/")).status).toBe(401);
});
