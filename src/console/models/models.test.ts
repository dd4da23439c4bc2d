import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFromPrimary } from "../../../db/server/replica.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { sessionUser } from "../../domain/accounts/authenticate.ts";
import { createSessions } from "../../domain/accounts/sign-in/sessions.ts";
import { createRoutingIndex } from "../../domain/channels/routing/routing-index.ts";
import { createModelHealth, type ModelStatus } from "../../domain/models/model-health.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { modelStatusRoutes } from "./models.ts";

const DAY_S = 86_400;
let app: TestConsole;
let sessions: ReturnType<typeof createSessions>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async ({ db, database, changes, settings, users }) => {
    const calls = (modelName: string, daysAgo: number, good: number, bad: number) =>
      Array.from({ length: good + bad }, (_, at) =>
        callRecord({ modelName, createdAt: nowSeconds() - daysAgo * DAY_S, failed: at < bad, channelId: 7 }),
      );
    await writeCalls(database, [
      ...calls("good", 0, 9, 0),
      ...calls("good", 1, 3, 1),
      ...calls("good", 95, 0, 50),
      ...calls("shaky", 0, 5, 5),
      ...calls("broken", 0, 0, 6),
      ...calls("seldom", 0, 0, 2),
      ...calls("hidden", 0, 1, 1),
    ]);
    const index = createRoutingIndex();
    const models = ["good", "shaky", "broken", "seldom", "never"];
    index.add(channelEntry({ id: 7, name: "secret supplier", models, groups: ["default"] }));
    index.add(channelEntry({ id: 8, models: ["hidden"], groups: ["staff"] }));
    sessions = createSessions({ db, changes, users, secret: "the session secret of the tests" });
    return modelStatusRoutes(
      { settings, modelHealth: createModelHealth({ reads: readFromPrimary(db), settings, channels: index }) },
      (request) => sessionUser({ users, sessions }, request),
    );
  });
});
afterAll(async () => {
  sessions.close();
  await app.close();
});

const ask = (headers?: Record<string, string>) => app.ask("GET", "/api/status/models", undefined, headers);

test("is for administrators until the site shows it", async () => {
  expect((await ask()).body).toMatchObject({ success: false, code: "status_page_off" });
  await app.addUser("user");
  expect((await ask(await app.login("user"))).body.code).toBe("status_page_off");
  await app.addUser("admin", "admin");
  expect((await ask(await app.login("admin"))).body.success).toBe(true);
});

test("visitors see how models do, and nothing of channels or of how much is called", async () => {
  await app.settings.set("StatusPageEnabled", "true");
  const { body, text } = await ask();
  const { days, models } = body.data as { days: number; models: ModelStatus[] };
  expect(days).toBe(90);
  expect(models.map(({ model_name, state, availability }) => [model_name, state, availability])).toEqual([
    ["broken", "down", 0],
    ["good", "up", 9230],
    ["never", "up", null],
    ["seldom", "up", 0],
    ["shaky", "degraded", 5000],
  ]);
  const good = models[1]?.days ?? [];
  expect(good).toHaveLength(90);
  expect(good.slice(-2)).toEqual([7500, 10_000]);
  expect(good.slice(0, 88).every((share) => share === null)).toBe(true);
  for (const secret of ["hidden", "supplier", "channel", "count"]) expect(text).not.toContain(secret);
});
