import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import type { Database } from "../../../db/types.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { createChannelDirectory } from "../../domain/channels/directory.ts";
import type { PastCall } from "../../domain/models/routes/simulation.ts";
import { modelRouteRoutes } from "./routes.ts";

let predicted: Readonly<{ calls: readonly PastCall[]; known: readonly PastCall[] }> | null = null;
let database: Pick<Database, "sql">;
let app: TestConsole;
let admin: Record<string, string>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => {
    database = services.database;
    const channels = await createChannelDirectory(services);
    const predictOutcomes = (_: unknown, calls: readonly PastCall[], known: readonly PastCall[]) => {
      predicted = { calls, known };
      return { cost: 1, latency_ms: 2, success: 0.5, shares: {}, refused: 0 };
    };
    return modelRouteRoutes({ ...services, channels, predictOutcomes }, guarded);
  });
  await app.addUser("helper", "admin");
  await app.addUser("guest", "user");
  admin = await app.login("helper");
  user = await app.login("guest");
});
afterAll(() => app.close());

const route = { strategy: "weighted", candidates: [{ model: "a", weight: 3 }, { model: "b" }] };
const ask = async (method: string, body?: object, headers = admin, query = "") =>
  (await app.ask(method, `/api/route/${query}`, body, headers)).body;
const list = async () => (await ask("GET")).data;

describe("routes", () => {
  test.each(["GET", "POST", "PUT", "DELETE"])("%s: administrators only", async (method) => {
    const body = method === "GET" ? undefined : {};
    expect((await ask(method, body, user)).code).toBe("permission_denied");
  });

  test("are created, changed, renamed and deleted, in force at once and logged", async () => {
    expect(await ask("POST", { name: "best", route })).toMatchObject({ success: true });
    expect(await list()).toEqual([{ name: "best", ...route, unserved: ["a", "b"] }]);
    expect(
      app.settings
        .get("ModelRoutes")
        .get("best")
        ?.candidates.map(({ weight }) => weight),
    ).toEqual([3, 1]);
    expect(await ask("POST", { name: "best", route })).toMatchObject({ success: false, code: "route_exists" });
    const changed = { candidates: [{ model: "c", tags: ["x"] }], enabled: false };
    expect(await ask("PUT", { name: "best", new_name: "better", route: changed })).toMatchObject({ success: true });
    expect(await list()).toEqual([{ name: "better", ...changed, unserved: ["c"] }]);
    expect(await ask("PUT", { name: "best", route })).toMatchObject({ code: "route_missing" });
    await ask("POST", { name: "best", route });
    expect(await ask("PUT", { name: "best", new_name: "better", route })).toMatchObject({ code: "route_exists" });
    for (const name of ["best", "better"]) await ask("DELETE", undefined, admin, `?name=${name}`);
    expect(await list()).toEqual([]);
    expect(await ask("DELETE", undefined, admin, "?name=best")).toMatchObject({ code: "route_missing" });
    const rows = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);
    expect(rows.map(({ content }) => content)).toEqual([
      "Created the route best",
      "Updated the route best",
      "Created the route best",
      "Deleted the route best",
      "Deleted the route better",
    ]);
  });

  test("of two created at the same moment neither is lost", async () => {
    const names = ["one", "two", "three"];
    await Promise.all(names.map((name) => ask("POST", { name, route })));
    expect([...app.settings.get("ModelRoutes").keys()].sort()).toEqual(names.toSorted());
    for (const name of names) await ask("DELETE", undefined, admin, `?name=${name}`);
  });

  test("an invalid one changes nothing and says which field", async () => {
    const refused = await ask("POST", { name: "best", route: { candidates: [{ model: "a", weight: 0.5 }] } });
    expect(refused.success).toBe(false);
    expect(JSON.stringify(refused)).toContain("weight");
    const strange = await ask("POST", { name: "best", route: { candidates: [{ model: "a" }], strategy: "best" } });
    expect(strange).toMatchObject({ success: false, code: "field_invalid" });
    expect(await list()).toEqual([]);
  });
});

test("a changed route is simulated with the last day's calls to it", async () => {
  const routed = (values: object) => {
    const { requestId, ...record } = callRecord({ modelName: "a", elapsedMs: 1000, ...values });
    const other = { request_id: requestId, requested_model: "best", cache_tokens: 4 };
    return { ...record, requestId, other };
  };
  await writeCalls(database, [
    routed({}),
    routed({ modelName: "b", failed: true }),
    routed({ createdAt: Math.floor(Date.now() / 1000) - 90_000 }),
    callRecord({ modelName: "a", elapsedMs: 9000 }),
    callRecord({ modelName: "elsewhere" }),
  ]);
  const definition = { candidates: [{ model: "a" }, { model: "b" }, { model: "new" }] };
  const answer = await app.ask("POST", "/api/route/simulate", { name: "best", route: definition }, admin);
  expect(answer.body.data).toEqual({
    calls: 2,
    before: { cost: 0, latency_ms: 1000, success: 0.5, shares: { a: 0.5, b: 0.5 }, refused: 0 },
    after: { cost: 1, latency_ms: 2, success: 0.5, shares: {}, refused: 0 },
    unmeasured: ["new"],
  });
  expect([predicted?.calls.length, predicted?.known.length]).toEqual([2, 3]);
  const wrong = await app.ask("POST", "/api/route/simulate", { name: "best", route: { candidates: [] } }, admin);
  expect(wrong.body).toMatchObject({ success: false });
});
