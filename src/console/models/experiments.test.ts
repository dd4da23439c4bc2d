import { afterAll, beforeAll, expect, test } from "bun:test";
import pino from "pino";
import { logs } from "../../../db/schema/logs/logs.ts";
import { experimentCalls } from "../../../db/schema/models/replays.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import type { ExperimentView } from "../../domain/models/experiments/list-experiments.ts";
import { createExperimentStore, type ExperimentCall } from "../../domain/models/experiments/store.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { experimentRoutes } from "./experiments.ts";

let app: TestConsole;
let admin: Record<string, string>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => experimentRoutes(services, guarded));
  await app.addUser("helper", "admin");
  await app.addUser("guest", "user");
  admin = await app.login("helper");
  user = await app.login("guest");
});
afterAll(() => app.close());

const ROUTES = {
  best: {
    candidates: [{ model: "a" }],
    experiment: {
      mode: "mirror",
      candidate: { model: "b", channel_tags: ["eu"], regions: ["eu-*"] },
      percent: 10,
      judge: { model: "j" },
    },
  },
  plain: { candidates: [{ model: "a" }] },
};
const list = async () => (await ask("GET")).data as readonly ExperimentView[];
const ask = async (method: string, query = "", headers = admin) =>
  (await app.ask(method, `/api/experiments/${query}`, undefined, headers)).body;

test("both sides of an experiment are shown over time, by hour and by the days of the reader's clock", async () => {
  await app.settings.change(["ModelRoutes"], () => new Map([["ModelRoutes", JSON.stringify(ROUTES)]]));
  const experiment = app.settings.get("ModelRoutes").get("best")?.experiment?.key ?? "";
  const hour = 3600;
  const now = nowSeconds() - (nowSeconds() % hour);
  const call = (at: number, isTrial: boolean, latencyMs: number, failed = false): ExperimentCall => ({
    ...{ route: "best", experiment, isTrial, requestId: `series ${at}`, createdAt: at, model: isTrial ? "b" : "a" },
    ...{ channelId: 1, failed, status: failed ? 500 : 200, latencyMs, firstTokenMs: null, cost: latencyMs / 10 },
    ...{ promptTokens: 1, completionTokens: 1 },
  });
  await app.db
    .insert(experimentCalls)
    .values([
      call(now + 1, false, 100),
      call(now + 2, false, 300),
      call(now + 3, false, 9000, true),
      call(now - hour, true, 500),
      call(now - 40 * 24 * hour, true, 500),
      { ...call(now, false, 10), experiment: "another" },
    ]);
  const series = async (query: string) => (await ask("GET", `series?route=${query}`)).data;
  const control = { start: now, is_trial: false, calls: 3, failed: 1, latency_ms: 200, first_token_ms: null, cost: 20 };
  expect(await series("best&step=hour")).toEqual([
    { start: now - hour, is_trial: true, calls: 1, failed: 0, latency_ms: 500, first_token_ms: null, cost: 50 },
    control,
  ]);
  // For a reader to whom midnight was between both hours, and for one to whom it was not.
  const sinceMidnight = (now % (24 * hour)) / 60;
  const offset = sinceMidnight > 720 ? 1440 - sinceMidnight : -sinceMidnight;
  const days = (await series(`best&step=day&offset_minutes=${offset}`)) as { start: number }[];
  expect(days.map(({ start }) => start)).toEqual([now - 24 * hour, now]);
  const shifted = (await series(
    `best&step=day&offset_minutes=${offset > 0 ? offset - 120 : offset + 120}`,
  )) as object[];
  expect(new Set(shifted.map((point) => (point as { start: number }).start)).size).toBe(1);
  expect(await series("plain&step=day")).toEqual([]);
  expect((await ask("GET", "series?route=best&step=day", user)).code).toBe("permission_denied");
  expect(await ask("DELETE", "?route=best")).toMatchObject({ success: true });
  await app.db.delete(logs);
});

test("administrators see each experiment with its figures, costs and verdicts, and may start it again", async () => {
  await app.settings.change(["ModelRoutes"], () => new Map([["ModelRoutes", JSON.stringify(ROUTES)]]));
  const experiment = app.settings.get("ModelRoutes").get("best")?.experiment?.key ?? "";
  const store = createExperimentStore(app.db, pino({ level: "silent" }));
  for (let call = 0; call < 60; call += 1) {
    const shared = {
      route: "best",
      experiment,
      requestId: `call ${call}`,
      createdAt: nowSeconds(),
      status: 200,
      failed: false,
    };
    const sizes = { promptTokens: 10, completionTokens: 5, firstTokenMs: null, channelId: 1 };
    const control: ExperimentCall = {
      ...shared,
      ...sizes,
      isTrial: false,
      model: "a",
      latencyMs: 1000 + call,
      cost: 15,
    };
    const verdict = call < 40 ? 1 : call < 50 ? 0 : -1;
    const trial: ExperimentCall = {
      ...{ ...shared, ...sizes, isTrial: true, model: "b", latencyMs: 500 + 2 * call, cost: 45 },
      ...{ verdict, verdictReason: "Better.", judgeCost: 100 },
    };
    const reservation = await store.reserve("best", 500, 500_000);
    if (!reservation) throw new Error("nothing is left of the budget");
    await store.settle([{ reservation, spent: 145 }], [control, trial]);
  }
  const data = await list();
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    ...{ route: "best", mode: "mirror", model: "b", channel_tags: ["eu"], regions: ["eu-*"], percent: 10, judge: "j" },
    ...{ calls: { control: 60, trial: 60 }, operator_cost: 60 * 145, spent_today: 60 * 145, budget_per_day: 500_000 },
    verdicts: { trial: 40, control: 10, tie: 10 },
  });
  expect(data[0]?.verdicts?.latest).toHaveLength(20);
  const verdicts = data[0]?.comparisons.map(({ metric, better }) => [metric, better]);
  expect(verdicts).toEqual([
    ["errors", null],
    ["latency", "trial"],
    ["first_token", null],
    ["cost", "control"],
    ["judge", "trial"],
  ]);
  expect((await ask("GET", "", user)).code).toBe("permission_denied");
  expect((await ask("DELETE", "?route=best", user)).code).toBe("permission_denied");
  expect(await ask("DELETE", "?route=best")).toMatchObject({ success: true });
  expect((await list())[0]).toMatchObject({ calls: { control: 0, trial: 0 }, spent_today: 60 * 145 });
  const [row] = await app.db.select().from(logs);
  expect(row?.content).toBe("Deleted the results of the experiment of the route best");
});
