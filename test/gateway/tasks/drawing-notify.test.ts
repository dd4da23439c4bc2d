import { afterAll, beforeAll, expect, test } from "bun:test";
import { midjourney } from "../../../src/providers/media/midjourney.ts";
import { startMidjourney } from "../../support/gateway/fake-midjourney.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { until } from "../../support/lib/until.ts";

/** Sites that let upstreams call back, and notify clients themselves. */

type Task = Record<string, unknown>;
const notifications: Task[] = [];
const client = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    notifications.push((await request.json()) as Task);
    return new Response();
  },
});
const upstream = startMidjourney();
const channel = { type: 5, baseUrl: upstream.url, keys: ["mj-secret"], models: midjourney.models };
const options = {
  ServerAddress: "http://site.test/",
  MjNotifyEnabled: "true",
  MjModeClearEnabled: "true",
  MjAccountFilterEnabled: "true",
  MjForwardUrlEnabled: "false",
};

let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  fixture = await startTasks({ channels: [channel], options });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
  client.stop(true);
});

test("the upstream calls back at a signed address, once a failure gives the charge back, and the client is notified", async () => {
  const notifyHook = `http://127.0.0.1:${client.port}/hook`;
  const order = { prompt: "a cat --turbo --ar 1:1", notifyHook, accountFilter: { modes: ["FAST"] } };
  const { result } = (await (await fixture.relay.post("/fast/mj/submit/imagine", order)).json()) as { result: string };
  const sent = upstream.received.at(-1);
  expect(sent?.path).toBe("/fast/mj/submit/imagine");
  expect(sent?.body).toMatchObject({ prompt: "a cat --ar 1:1", accountFilter: { modes: ["FAST"] } });
  const callback = String(sent?.body.notifyHook);
  expect(callback).toMatch(/^http:\/\/site\.test\/mj\/notify\/\d+-[0-9a-f]{32}$/);
  const spent = await fixture.spent();
  expect(spent).toBe(50_000);

  const callBack = (task: Task) =>
    fixture.relay.post(callback.replace("http://site.test", ""), { id: result, ...task });
  await callBack({ status: "IN_PROGRESS", progress: "30%", imageUrl: "https://cdn.example/half.png" });
  const running = (await (await fixture.relay.get(`/mj/task/${result}/fetch`)).json()) as Task;
  expect(running).toMatchObject({ status: "IN_PROGRESS", imageUrl: "https://cdn.example/half.png" });
  // A notice says how the task is when it is sent.
  await until(() => notifications.length === 1);
  await callBack({ id: "another task", status: "SUCCESS" });
  await Promise.all([1, 2, 3].map(() => callBack({ status: "FAILURE", failReason: "banned" })));
  await callBack({ status: "SUCCESS" });
  expect(await fixture.spent()).toBe(0);
  expect((await fixture.events()).map(({ quota }) => quota)).toEqual([50_000]);
  await until(() => notifications.length >= 2);
  expect(notifications.map(({ status }) => status).sort()).toEqual(["FAILURE", "IN_PROGRESS"]);
});

test("hooks of clients to private addresses are not called", async () => {
  const strict = await startTasks({ channels: [channel], options, allowPrivateWebhooks: false });
  const before = notifications.length;
  const notifyHook = `http://127.0.0.1:${client.port}/hook`;
  const ordered = await strict.relay.post("/mj/submit/imagine", { prompt: "a cat", notifyHook });
  const { result } = (await ordered.json()) as { result: string };
  upstream.finish(result);
  await strict.poll();
  await Bun.sleep(300);
  expect(notifications.length).toBe(before);
  await strict.stop();
});
