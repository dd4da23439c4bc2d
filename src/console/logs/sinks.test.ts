import { afterAll, beforeAll, expect, test } from "bun:test";
import { logs } from "../../../db/schema/logs/logs.ts";
import { usageSinks } from "../../../db/schema/logs/sinks.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createResolve } from "../../lib/outbound/resolve.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { sinkRoutes } from "./sinks.ts";

const SECRET = `whsec_${btoa("k".repeat(32))}`;
let app: TestConsole;
let root: Record<string, string>;
let receiver: Bun.Server<undefined>;
let status = 200;
beforeAll(async () => {
  const policy = createAddressPolicy(true);
  const sinkDeps = { fetch: createSafeFetch(policy), resolve: createResolve(policy) };
  app = await startTestConsole(undefined, async ({ db, vault }, guarded) =>
    sinkRoutes({ db, vault, sinkDeps }, guarded),
  );
  await app.addUser("root", "root");
  root = await app.login("root");
  receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("not today", { status }) });
});
afterAll(async () => {
  receiver.stop(true);
  await app.close();
});

const call = async (method: string, path: string, body?: unknown, as = root) =>
  (await app.ask(method, `/api/sinks${path}`, body, as)).body;
const input = (change = {}) => ({
  ...{ type: "webhook", name: "Lake", enabled: true },
  config: { url: `http://127.0.0.1:${receiver.port}/x`, secret: SECRET },
  ...change,
});

test("a destination is added, tested, changed and deleted; its secret never comes back", async () => {
  const added = await call("POST", "/", input());
  expect(added).toMatchObject({ success: true, data: { name: "Lake", secrets_set: ["secret"], waiting: 0 } });
  const { id } = added.data as { id: number };
  expect(await call("POST", `/${id}/test`)).toMatchObject({ success: true });
  status = 500;
  const refused = await call("POST", `/${id}/test`);
  expect(refused).toMatchObject({ success: false, code: "sink_refused" });
  expect(refused.message).toContain("HTTP 500: not today");
  const changed = await call("PUT", `/${id}`, { name: "Sea", enabled: false, config: { secret: "" } });
  expect(changed).toMatchObject({ data: { name: "Sea", enabled: false, secrets_set: ["secret"] } });
  const everything = JSON.stringify([added, changed, await call("GET", "/"), await app.db.select().from(usageSinks)]);
  expect(everything).not.toContain(SECRET);
  expect(await call("DELETE", `/${id}`)).toMatchObject({ success: true });
  expect(await call("GET", "/")).toMatchObject({ data: [] });
  expect(await call("DELETE", `/${id}`)).toMatchObject({ code: "sink_not_found" });
  const contents = (await app.db.select({ content: logs.content }).from(logs)).map(({ content }) => content);
  for (const verb of ["Added the export destination Lake", "Deleted the export destination Sea"]) {
    expect(contents).toContain(verb);
  }
});

test.each([
  [{ type: "carrier pigeon" }, "alert_type_invalid"],
  [{ name: " " }, "alert_name_invalid"],
  [{ config: { url: "ftp://x", secret: SECRET } }, "alert_field_invalid"],
  [{ config: { url: "https://user:password@x", secret: SECRET } }, "alert_field_invalid"],
  [{ config: { url: "https://x" } }, "alert_field_required"],
  [{ type: "clickhouse", config: { url: "https://x", table: "a; drop table b" } }, "alert_field_invalid"],
  [{ type: "s3", config: { url: "https://x", region: "../..", bucket: "b" } }, "alert_field_invalid"],
])("%o is refused", async (change, code) => {
  expect(await call("POST", "/", input(change))).toMatchObject({ success: false, code });
});

test("is for super admins", async () => {
  await app.addUser("admin", "admin");
  const admin = await app.login("admin");
  expect((await call("GET", "/", undefined, admin)).code).toBe("permission_denied");
  expect((await call("POST", "/", input(), admin)).code).toBe("permission_denied");
});
