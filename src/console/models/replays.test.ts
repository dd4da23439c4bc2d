import { afterAll, beforeAll, expect, test } from "bun:test";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import type { EvaluationResult, ReplaySetView } from "../../domain/models/replays/read-replays.ts";
import type { Replayer } from "../../domain/models/replays/replayer.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { replayRoutes } from "./replays.ts";

const replayer: Replayer = {
  isRepeatable: () => true,
  prepare: () => "nothing is sent here",
  prepareJudge: () => "nothing is sent here",
};

let app: TestConsole;
let admin: Record<string, string>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) =>
    replayRoutes({ ...services, replayer }, guarded),
  );
  await app.addUser("helper", "admin");
  await app.addUser("guest", "user");
  admin = await app.login("helper");
  user = await app.login("guest");
});
afterAll(() => app.close());

const ask = async (method: string, path: string, body?: object, headers = admin) =>
  (await app.ask(method, `/api/replays/${path}`, body, headers)).body;

test("administrators set requests aside, replay them, and delete both; mistakes get a clear error", async () => {
  const exchange = { client: '{"model":"a","messages":[{"role":"user","content":"Hi"}]}', format: "openai-chat" };
  const other = { request_id: "r", output_content: "Hello", admin_info: { use_channel: [], attempts: [], exchange } };
  const row = { type: 2, createdAt: nowSeconds(), modelName: "a", userId: 1, requestId: "r", quota: 7 };
  await app.db.insert(logs).values({ ...row, other: JSON.stringify(other) });
  const filter = { start: nowSeconds() - 60, end: nowSeconds() + 60 };
  expect((await ask("POST", "sets", { name: "Week", filter }, user)).code).toBe("permission_denied");
  expect((await ask("POST", "sets", { name: "Week", filter: { ...filter, model: "b" } })).code).toBe(
    "replay_no_requests",
  );
  const ofRequest = (request_id: string) => ask("POST", "sets", { name: "One", filter: { ...filter, request_id } });
  expect((await ofRequest("another")).code).toBe("replay_no_requests");
  const single = (await ofRequest("r")).data as { id: number };
  expect(await ask("DELETE", `sets?id=${single.id}`)).toMatchObject({ success: true });
  const set = (await ask("POST", "sets", { name: "Week", filter })).data as { id: number };
  const target = { prices: { input: 2, output: 8 } };
  const judge = { model: "j" };
  expect((await ask("POST", "evaluations", { set_id: set.id, name: "x", target, judge })).code).toBe(
    "replay_target_required",
  );
  expect((await ask("POST", "evaluations", { set_id: 99, name: "x", target })).code).toBe("replay_set_missing");
  const made = (await ask("POST", "evaluations", { set_id: set.id, name: "Cheaper", target })).data as { id: number };
  const [view] = (await ask("GET", "sets")).data as ReplaySetView[];
  expect(view).toMatchObject({
    name: "Week",
    calls: 1,
    evaluations: [{ name: "Cheaper", status: "running", done: 0 }],
  });
  const one = (await ask("GET", `evaluations/one?id=${made.id}`)).data as EvaluationResult;
  expect(one).toMatchObject({ evaluation: { calls: 1, max_cost: 500_000 }, calls: [], verdicts: null });
  expect((await ask("DELETE", `evaluations?id=${made.id}`)).code).toBe("replay_evaluation_status");
  expect(await ask("POST", "evaluations/stop", { id: made.id })).toMatchObject({ success: true });
  expect((await ask("POST", "evaluations/stop", { id: made.id })).code).toBe("replay_evaluation_status");
  expect(await ask("DELETE", `evaluations?id=${made.id}`)).toMatchObject({ success: true });
  expect(await ask("DELETE", `sets?id=${set.id}`)).toMatchObject({ success: true });
  expect((await ask("GET", "sets")).data).toEqual([]);
});
