/** Who used which tools of an MCP server, and that nobody but administrators with the right learns it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
const now = nowSeconds();
const DAY_S = 86_400;
const path = `/api/data/mcp-server?server=city&start_timestamp=${now - 7 * DAY_S}&end_timestamp=${now}`;

beforeAll(async () => {
  app = await startTestOperations();
  await app.db.update(users).set({ quota: 100_000_000 });
  const by = (username: "user" | "admin", modelName: string, quota: number, elapsedMs: number, more: object = {}) =>
    callRecord({
      ...{ userId: app.ids[username], username, createdAt: now - 60, channelId: 0 },
      ...{ modelName, quota, elapsedMs, ...more },
    });
  await writeCalls(app.database, [
    by("user", "mcp/city/weather", 100, 10),
    by("user", "mcp/city/weather", 100, 30),
    by("admin", "mcp/city/weather", 200, 50),
    by("admin", "mcp/city/delete", 0, 900, { failed: true }),
    // Another server whose name begins alike, a model, and an older call.
    by("user", "mcp/city-hall/weather", 7, 5),
    by("user", "gpt-5", 9, 5),
    by("user", "mcp/city/weather", 5, 5, { createdAt: now - 8 * DAY_S }),
  ]);
});
afterAll(() => app.close());

test("calls, errors, median times and charges are added up by tool and by user", async () => {
  const { data } = (await app.ask("GET", path, undefined, app.as.admin)).body;
  expect(data).toMatchObject({
    tools: [
      { key: "weather", name: "weather", calls: 3, failed: 0, quota: 400, p50_ms: 30 },
      { key: "delete", name: "delete", calls: 1, failed: 1, quota: 0, p50_ms: null },
    ],
    users: [
      { key: String(app.ids.user), name: "user", calls: 2, failed: 0, quota: 200, p50_ms: 10 },
      { key: String(app.ids.admin), name: "admin", calls: 2, failed: 1, quota: 200, p50_ms: 50 },
    ],
  });
});

test("a user learns nothing of it, and no name of a server is a pattern", async () => {
  expect((await app.ask("GET", path, undefined, app.as.user)).body.success).toBe(false);
  const pattern = path.replace("server=city", "server=%25");
  expect((await app.ask("GET", pattern, undefined, app.as.admin)).body.success).toBe(false);
});
