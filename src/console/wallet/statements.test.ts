import { afterAll, beforeAll, expect, test } from "bun:test";
import { usageRecord } from "../../../test/support/billing/start-billing.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { applyBatch } from "../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../billing/journal/apply/record-text.ts";
import { monthAt, monthBefore } from "../../domain/wallet/statements/compute-statement.ts";
import { issueStatements } from "../../domain/wallet/statements/issue-statements.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OutboundError } from "../../lib/outbound/outbound-error.ts";
import { statementRoutes } from "./statements.ts";

const lastMonth = monthBefore(monthAt(nowSeconds()));

let database: TestDatabase;
let app: TestConsole;
let ann: Record<string, string>;
let bob: Record<string, string>;
let admin: Record<string, string>;
beforeAll(async () => {
  const fetch = async () => {
    throw new OutboundError("unreachable", { code: "why_unreachable", params: { host: "logo" } });
  };
  database = await openTestDatabase();
  app = await startTestConsole(database, async (services, guarded) => statementRoutes({ ...services, fetch }, guarded));
  const annId = await app.addUser("ann");
  await app.addUser("bob");
  await app.addUser("admin", "admin");
  [ann, bob, admin] = await Promise.all([app.login("ann"), app.login("bob"), app.login("admin")]);
  await database.sql`update users set quota = 100 where id = ${annId}`;
  const record = usageRecord({ userId: annId, quota: 7, createdAt: lastMonth.from + 3600 });
  await applyBatch(database.sql, "p", [recordText(record)]);
  await app.settings.set("Logo", "https://logo.example/logo.png");
  await issueStatements({ db: app.db, settings: app.settings }, undefined, lastMonth.until + 90_000);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const get = async (path: string, who: Record<string, string>) => (await app.ask("GET", path, undefined, who)).body;

test("an account reads its own documents and nobody else's; administrators read all", async () => {
  const { data } = await get("/api/user/statements", ann);
  expect(data).toMatchObject({ total: 1, items: [{ number: "ST-000001", month: lastMonth.name, charged: 7 }] });
  const { id } = (data as { items: { id: number }[] }).items[0] ?? { id: 0 };
  expect(await get(`/api/user/statements/one?id=${id}`, ann)).toMatchObject({ data: { username: "ann" } });
  expect(await get(`/api/user/statements/one?id=${id}`, bob)).toMatchObject({ code: "statement_not_found" });
  expect(await get(`/api/user/statements/file?id=${id}&format=csv`, bob)).toMatchObject({
    code: "statement_not_found",
  });
  expect(await get("/api/user/statements", bob)).toMatchObject({ data: { total: 0 } });
  expect(await get("/api/statements?keyword=ann", admin)).toMatchObject({ data: { total: 1 } });
  expect(await get("/api/statements?month=2026-13", admin)).toMatchObject({ code: "statement_month_invalid" });
  expect(await get("/api/statements", ann)).toMatchObject({ success: false });
  expect(await get(`/api/statements/one?id=${id}`, ann)).toMatchObject({ success: false });
});

test("an account downloads all its movements, and nobody else's", async () => {
  const download = async ({ cookie = "", ...others }: Record<string, string>) => {
    const who = { cookie, ...others };
    const ticket = await app.ask(
      "POST",
      "/api/user/self/download",
      { address: "/api/user/movements?charges=call" },
      who,
    );
    const { address } = (ticket.body as { data: { address: string } }).data;
    return app.ask("GET", address, undefined, { cookie });
  };
  const { headers, text } = await download(ann);
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="movements-[\d-]+\.csv"$/);
  const kinds = (csv: string) =>
    csv
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",").slice(1, 3).join(" "));
  expect(kinds(text).slice(1)).toEqual(["call -7"]);
  expect(kinds((await download(bob)).text)).toHaveLength(1);
  expect((await get("/api/user/movements?charges=month", ann)) as object).toMatchObject({ success: false });
});

test("billing details stand on the next document; a logo that can't be had is left out", async () => {
  const profile = { name: "Ann & Co.", address: "Street 1\nCity", taxId: "DE123456789", country: "DE" };
  const save = async (values: object) =>
    (await app.ask("PUT", "/api/user/billing_profile", { ...profile, ...values }, ann)).body;
  expect(await save({ taxId: "DE12" })).toMatchObject({ code: "billing_tax_id_invalid" });
  expect(await save({ country: "ZZ" })).toMatchObject({ code: "billing_country_unknown" });
  expect((await app.ask("PUT", "/api/user/billing_profile", profile, ann)).body).toMatchObject({ success: true });
  expect(await get("/api/user/billing_profile", ann)).toMatchObject({ data: profile });
  expect(await get("/api/user/statements/draft", ann)).toMatchObject({
    data: { number: null, content: { recipient: profile } },
  });
  const tooLong = { ...profile, taxId: "x".repeat(101) };
  expect((await app.ask("PUT", "/api/user/billing_profile", tooLong, ann)).body).toMatchObject({
    code: "field_length",
    message: "taxId must have 0 to 100 characters.",
  });
  const pdf = await app.ask("GET", "/api/user/statements/file?id=draft&format=pdf&lang=fr", undefined, ann);
  expect(pdf.headers.get("content-type")).toBe("application/pdf");
  expect(pdf.text.slice(0, 5)).toBe("%PDF-");
});
