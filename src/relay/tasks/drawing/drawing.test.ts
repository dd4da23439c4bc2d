import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { midjourney } from "../../../providers/tasks/midjourney.ts";
import { startTasks } from "../testing.ts";
import { startMidjourney } from "./fake-midjourney.ts";

/** $0.1 and $0.05 a task. */
const IMAGINE = 50_000;
const UPSCALE = 25_000;

type Answer = { code: number; result: string; description: string };
type Task = Record<string, unknown> & { id: string; imageUrl: string; buttons: { customId: string }[] };

let upstream: ReturnType<typeof startMidjourney>;
let stage: Awaited<ReturnType<typeof startTasks>>;
let before = 0;

beforeAll(async () => {
  upstream = startMidjourney();
  const channel = { type: 2, baseUrl: upstream.url, keys: ["mj-secret"], models: midjourney.models };
  stage = await startTasks({ channels: [channel], options: { ServerAddress: "http://site.test" } });
});
afterAll(async () => {
  await stage.stop();
  upstream.stop();
});
beforeEach(async () => {
  before = await stage.spent();
});

const spent = async () => (await stage.spent()) - before;
const submit = async (name: string, body: object, path = "/mj/submit/") =>
  (await (await stage.relay.post(path + name, body)).json()) as Answer;
const fetchTask = async (id: string) => (await (await stage.relay.get(`/mj/task/${id}/fetch`)).json()) as Task;
const fetchImage = (address: string) => fetch(address.replace("http://site.test", stage.relay.url));

describe("a client of the drawing protocol", () => {
  test("draws, follows the task, goes on from its button and sees both pictures", async () => {
    const first = await submit("imagine", { prompt: "a cat --fast", state: "mine" });
    expect(first).toMatchObject({ code: 1, description: "Success" });
    expect(await spent()).toBe(IMAGINE);
    expect(await fetchTask(first.result)).toMatchObject({ status: "SUBMITTED", action: "IMAGINE", state: "mine" });

    upstream.move(first.result, { status: "IN_PROGRESS", progress: "45%", imageUrl: `${upstream.url}/picture.png` });
    expect(await stage.poll()).toBe(1);
    const running = await fetchTask(first.result);
    expect(running).toMatchObject({ status: "IN_PROGRESS", progress: "45%" });
    expect(running.imageUrl).toMatch(/^http:\/\/site\.test\/mj\/image\/\d+-[0-9a-f]{32}\?rand=45%25$/);

    upstream.finish(first.result);
    await Bun.sleep(1100);
    await stage.poll();
    const done = await fetchTask(first.result);
    expect(done).toMatchObject({ status: "SUCCESS", progress: "100%", finishTime: 1_689_231_544_312, failReason: "" });
    const picture = await fetchImage(done.imageUrl);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);

    const next = await submit("action", { taskId: first.result, customId: done.buttons[0]?.customId });
    expect(next.code).toBe(1);
    expect(await fetchTask(next.result)).toMatchObject({ action: "UPSCALE", prompt: "a cat --fast" });
    expect(await spent()).toBe(IMAGINE + UPSCALE);
    const listed = await stage.relay.post("/mj/task/list-by-condition", { ids: [next.result, "gone", first.result] });
    expect(((await listed.json()) as Task[]).map(({ id }) => id)).toEqual([next.result, first.result]);
    const seed = await stage.relay.get(`/mj/task/${first.result}/image-seed`);
    expect(await seed.json()).toMatchObject({ code: 1, result: "4178246" });
    upstream.finish(next.result);
    await stage.poll();
  });

  test("gets back, once, what a task that failed cost", async () => {
    const { result } = await submit("imagine", { prompt: "a dog" });
    expect(await spent()).toBe(IMAGINE);
    upstream.move(result, { status: "FAILURE", failReason: "banned" });
    await stage.poll();
    await stage.poll();
    expect(await fetchTask(result)).toMatchObject({ status: "FAILURE", progress: "100%", failReason: "banned" });
    expect(await spent()).toBe(0);
    const events = (await stage.events()).filter(({ content }) => content.includes(result));
    expect(events.map(({ quota, userId }) => [quota, userId])).toEqual([[IMAGINE, stage.userId]]);
  });
});
