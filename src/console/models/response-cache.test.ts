import { afterAll, beforeAll, expect, test } from "bun:test";
import { responseCacheDays } from "../../../db/schema/models/response-cache.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { dayOf } from "../../billing/operator-spend.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { responseCacheRoutes } from "./response-cache.ts";

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => responseCacheRoutes(services, guarded));
  await app.addUser("helper", "admin");
  await app.addUser("guest", "user");
});
afterAll(() => app.close());

test("administrators see what the cache saves and clear it; users do neither", async () => {
  const [admin, user] = [await app.login("helper"), await app.login("guest")];
  const day = dayOf(nowSeconds());
  const row = { day, model: "gpt-4o", hits: 3, misses: 1, saved: 70 };
  await app.db.insert(responseCacheDays).values([row, { ...row, day: day - 40 }]);
  const ask = async (method: string, headers: Record<string, string>, query = "") =>
    (await app.ask(method, `/api/response_cache/${query}`, undefined, headers)).body;
  expect((await ask("GET", admin)).data).toEqual([row]);
  expect((await ask("GET", admin, "?days=60")).data).toHaveLength(2);
  for (const method of ["GET", "DELETE"]) expect((await ask(method, user)).success).toBe(false);
  expect(app.settings.get("ResponseCacheGeneration")).toBe(0);
  expect((await ask("DELETE", admin)).success).toBe(true);
  expect(app.settings.get("ResponseCacheGeneration")).toBe(1);
});
