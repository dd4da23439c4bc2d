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

test("administrators see what the cache saves all accounts and clear it; users see their own", async () => {
  const [admin, user] = [await app.login("helper"), await app.login("guest")];
  const day = dayOf(nowSeconds());
  const row = { day, model: "gpt-4o", hits: 3, misses: 1, saved: 70, tokens: 90 };
  const stored = { ...row, userId: 0, upstreamSaved: 50 };
  const guestId = Number(user["Sluice-User"]);
  await app.db
    .insert(responseCacheDays)
    .values([
      stored,
      { ...stored, day: day - 40 },
      { ...stored, userId: guestId, hits: 2 },
      { ...stored, userId: guestId + 1, hits: 1 },
    ]);
  const ask = async (method: string, headers: Record<string, string>, query = "") =>
    (await app.ask(method, `/api/response_cache/${query}`, undefined, headers)).body;
  expect((await ask("GET", admin)).data).toEqual([{ ...row, upstream_saved: 50 }]);
  expect((await ask("GET", admin, "?days=60")).data).toHaveLength(2);
  // What providers cost is the operator's.
  expect((await ask("GET", user, "self")).data).toEqual([{ ...row, hits: 2, upstream_saved: 0 }]);
  for (const method of ["GET", "DELETE"]) expect((await ask(method, user)).success).toBe(false);
  expect(app.settings.get("ResponseCacheGeneration")).toBe(0);
  expect((await ask("DELETE", admin)).success).toBe(true);
  expect(app.settings.get("ResponseCacheGeneration")).toBe(1);
});
