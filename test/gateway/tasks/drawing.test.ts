import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHealth } from "../../../src/gateway/routing/channel-health.ts";
import { midjourney } from "../../../src/providers/media/midjourney.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { startMidjourney } from "../../support/gateway/fake-midjourney.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { fixedSettings } from "../../support/lib/settings.ts";

/** $0.1 and $0.05 a task. */
const IMAGINE = 50_000;
const UPSCALE = 25_000;

type Answer = { code: number; result: string; description: string };
type Task = Record<string, unknown> & { id: string; imageUrl: string; buttons: { customId: string }[] };

let upstream: ReturnType<typeof startMidjourney>;
let fixture: Awaited<ReturnType<typeof startTasks>>;
let before = 0;

beforeAll(async () => {
  upstream = startMidjourney();
  const channel = { type: 2, baseUrl: upstream.url, keys: ["mj-secret"], models: midjourney.models, autoBan: true };
  const options = { ServerAddress: "http://site.test", AutomaticDisableChannelEnabled: "true" };
  fixture = await startTasks({ channels: [channel], options });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
});
beforeEach(async () => {
  before = await fixture.spent();
});

const spent = async () => (await fixture.spent()) - before;
const submit = async (name: string, body: object, path = "/mj/submit/") =>
  (await (await fixture.relay.post(path + name, body)).json()) as Answer;
const fetchTask = async (id: string) => (await (await fixture.relay.get(`/mj/task/${id}/fetch`)).json()) as Task;
const fetchImage = (address: string) => fetch(address.replace("http://site.test", fixture.relay.url));

describe("a client of the drawing protocol", () => {
  test("tasks: draws, follows the task, goes on from its button and sees both images", async () => {
    const first = await submit("imagine", { prompt: "a cat --fast", state: "mine" });
    expect(first).toMatchObject({ code: 1, description: "Success" });
    expect(await spent()).toBe(IMAGINE);
    expect(await fetchTask(first.result)).toMatchObject({ status: "SUBMITTED", action: "IMAGINE", state: "mine" });

    upstream.move(first.result, { status: "IN_PROGRESS", progress: "45%", imageUrl: `${upstream.url}/picture.png` });
    expect(await fixture.poll()).toBe(1);
    const running = await fetchTask(first.result);
    expect(running).toMatchObject({ status: "IN_PROGRESS", progress: "45%" });
    expect(running.imageUrl).toMatch(/^http:\/\/site\.test\/mj\/image\/\d+-[0-9a-f]{32}\?rand=45%25$/);

    upstream.finish(first.result);
    await fixture.poll();
    const done = await fetchTask(first.result);
    expect(done).toMatchObject({ status: "SUCCESS", progress: "100%", finishTime: 1_689_231_544_312, failReason: "" });
    const image = await fetchImage(done.imageUrl);
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);

    const next = await submit("action", { taskId: first.result, customId: done.buttons[0]?.customId });
    expect(next.code).toBe(1);
    expect(await fetchTask(next.result)).toMatchObject({ action: "UPSCALE", prompt: "a cat --fast" });
    expect(await spent()).toBe(IMAGINE + UPSCALE);
    const listed = await fixture.relay.post("/mj/task/list-by-condition", { ids: [next.result, "gone", first.result] });
    expect(((await listed.json()) as Task[]).map(({ id }) => id)).toEqual([next.result, first.result]);
    const seed = await fixture.relay.get(`/mj/task/${first.result}/image-seed`);
    expect(await seed.json()).toMatchObject({ code: 1, result: "4178246" });
    upstream.finish(next.result);
    await fixture.poll();
  });

  test("tasks: finds the price in the log, and no tokens", async () => {
    await submit("imagine", { prompt: "a fox" });
    expect(await fixture.lastCharge()).toMatchObject({
      model_price: 0.1,
      model_ratio: 0,
      group_ratio: 1,
      frt: -1000,
      row: { modelName: "mj_imagine", quota: IMAGINE, promptTokens: 0, completionTokens: 0 },
    });
  });

  test("gets back, once, what a task that failed cost", async () => {
    const { result } = await submit("imagine", { prompt: "a dog" });
    expect(await spent()).toBe(IMAGINE);
    upstream.move(result, { status: "FAILURE", failReason: "banned" });
    await fixture.poll();
    await fixture.poll();
    expect(await fetchTask(result)).toMatchObject({ status: "FAILURE", progress: "100%", failReason: "banned" });
    expect(await spent()).toBe(0);
    const events = (await fixture.events()).filter(({ content }) => content.includes(result));
    expect(events.map(({ quota, userId }) => [quota, userId])).toEqual([[IMAGINE, fixture.userId]]);
  });
});

describe("what an order may say", () => {
  test.each([
    ["imagine", {}, "prompt_is_required"],
    ["change", { taskId: "1", action: "UPSCALE" }, "index_is_required"],
    ["change", { taskId: "1" }, "action_is_required"],
    ["simple-change", { content: "nonsense" }, "content_parse_failed"],
    ["action", { taskId: "1" }, "custom_id_is_required"],
    ["action", { customId: "MJ::JOB::upsample::1::x" }, "task_id_is_required"],
    ["action", { taskId: "1", customId: "MJ::BOOKMARK::x" }, "unknown_action"],
    ["change", { taskId: "nobody's", action: "UPSCALE", index: 1 }, "task_not_found"],
    ["dance", {}, "unknown_action"],
  ])("%s %p is refused: %s", async (name, body, why) => {
    const answer = await fixture.relay.post(`/mj/submit/${name}`, body);
    const refused = (await answer.json()) as Answer & { type: string };
    expect([answer.status, refused.code]).toEqual([400, 4]);
    expect(refused.description).toStartWith(why);
    expect(await spent()).toBe(0);
  });

  test("“task U2” and the like are ordinary changes, of tasks that are done", async () => {
    const first = await submit("imagine", { prompt: "a bird" }, "/mj-fast/mj/submit/");
    expect(upstream.received.at(-1)?.path).toBe("/mj/submit/imagine");
    const early = await fixture.relay.post("/mj/submit/simple-change", { content: `${first.result} U2` });
    expect(((await early.json()) as Answer).description).toStartWith("task_status_not_success");
    upstream.finish(first.result);
    await fixture.poll();
    for (const [word, action, index] of [
      ["v3", "VARIATION", 3],
      ["R", "REROLL", undefined],
    ] as const) {
      const { result } = await submit("simple-change", { content: `${first.result} ${word}` });
      const { body, path } = upstream.received.at(-1) ?? { body: {}, path: "" };
      expect([path, body.taskId, body.action, body.index]).toEqual(["/mj/submit/change", first.result, action, index]);
      expect(await fetchTask(result)).toMatchObject({ action, prompt: "a bird" });
    }
    expect(await spent()).toBe(3 * IMAGINE);
  });

  test("hooks and account filters of clients stay here, and what the upstream rejects is reported and free", async () => {
    await submit("imagine", { prompt: "a fish", notifyHook: "http://10.0.0.1/", accountFilter: { modes: ["FAST"] } });
    expect(upstream.received.at(-1)?.body).toEqual({ prompt: "a fish" });
    const already = await spent();
    const banned = { code: 24, description: "May contain sensitive words", properties: { bannedWord: "nude" } };
    upstream.answerNext(banned);
    expect(await submit("imagine", { prompt: "something else" })).toMatchObject(banned);
    upstream.answerNext({ code: 30, description: "busy" });
    expect((await fixture.relay.post("/mj/submit/imagine", { prompt: "x" })).status).toBe(429);
    expect(await spent()).toBe(already);
    upstream.answerNext({ code: 22, description: "In queue", result: "queued-1" });
    expect(await submit("imagine", { prompt: "y" })).toMatchObject({ code: 1, result: "queued-1" });
    expect(await spent()).toBe(already + IMAGINE);
  });
});

describe("an upstream that knows the order already (code 21)", () => {
  const exists = (result: string, properties?: object) =>
    upstream.answerNext({ code: 21, description: "exists", result, ...(properties && { properties }) });

  test("copies its image: the task is done, and charged like others", async () => {
    exists("known-1", { status: "SUCCESS", imageUrl: `${upstream.url}/picture.png` });
    expect(await submit("imagine", { prompt: "again" })).toMatchObject({ code: 1, result: "known-1" });
    const task = await fetchTask("known-1");
    expect(task).toMatchObject({ status: "SUCCESS", progress: "100%", prompt: "again" });
    expect((await fetchImage(task.imageUrl)).headers.get("content-type")).toBe("image/png");
    expect(await spent()).toBe(IMAGINE);
  });

  test("copies how a running one stands, and follows it", async () => {
    exists("known-2", { status: "IN_PROGRESS", imageUrl: `${upstream.url}/picture.png` });
    await submit("imagine", { prompt: "again" });
    const task = await fetchTask("known-2");
    expect([task.status, task.imageUrl]).toEqual(["IN_PROGRESS", expect.stringContaining("/mj/image/")]);
    upstream.move("known-2", { id: "known-2", action: "IMAGINE", prompt: "again" });
    upstream.finish("known-2");
    await fixture.poll();
    expect(await fetchTask("known-2")).toMatchObject({ status: "SUCCESS", progress: "100%" });
    expect(await spent()).toBe(IMAGINE);
  });

  test.each([[{}], [{ status: "SUCCESS" }], [{ imageUrl: "http://x.test/1.png" }]])(
    "that reports no more than %p is followed as others are",
    async (properties) => {
      const id = `known-3-${Object.keys(properties).join()}`;
      exists(id, properties);
      await submit("imagine", { prompt: "again" });
      expect(await fetchTask(id)).toMatchObject({ status: "SUBMITTED", progress: "0%", imageUrl: "" });
      upstream.move(id, { id, action: "IMAGINE", prompt: "again" });
      upstream.finish(id);
      await fixture.poll();
    },
  );
});

describe("an upstream without accounts (code 3)", () => {
  const refusal = { code: 3, description: "No available account instance" };

  test("is disabled, as if by hand; the client gets the error and is not charged", async () => {
    upstream.answerNext(refusal);
    expect(await submit("imagine", { prompt: "x" })).toMatchObject(refusal);
    expect(fixture.relay.disabled).toEqual([{ channelId: 1, key: null, reason: refusal.description, status: 2 }]);
    expect(await spent()).toBe(0);
  });

  test("stays on when a task cannot go on: its own account may be all that is gone", async () => {
    const { result } = await submit("imagine", { prompt: "x" });
    upstream.finish(result);
    await fixture.poll();
    const already = fixture.relay.disabled.length;
    upstream.answerNext(refusal);
    expect(await submit("change", { taskId: result, action: "UPSCALE", index: 1 })).toMatchObject(refusal);
    expect(fixture.relay.disabled).toHaveLength(already);
  });

  test.each([
    ["the site and the channel want it", "true", true, 1],
    ["the site does not", "false", true, 0],
    ["the channel does not", "true", false, 0],
  ])("where %s", (_, AutomaticDisableChannelEnabled, autoBan, times) => {
    const notices: unknown[] = [];
    const settings = fixedSettings({ AutomaticDisableChannelEnabled });
    const health = createHealth({ settings, disableChannel: (_channel, ...rest) => void notices.push(rest) });
    health.noAccount(channelEntry({ autoBan }), "");
    expect(notices).toEqual(Array(times).fill([null, { code: "why_no_account" }, 2]));
  });
});

describe("addresses without a key", () => {
  test("lead nowhere without the signature, and give images only", async () => {
    const { result } = await submit("imagine", { prompt: "a mouse" });
    upstream.move(result, { status: "IN_PROGRESS", progress: "10%", imageUrl: `${upstream.url}/page.html` });
    await fixture.poll();
    const { imageUrl } = await fetchTask(result);
    expect((await fetchImage(imageUrl)).status).toBe(502);
    const guessed = imageUrl.replace(/-[0-9a-f]{32}/, `-${"0".repeat(32)}`);
    expect((await fetchImage(guessed)).status).toBe(404);
    // An image may be one that runs scripts, opened as a page of this site.
    upstream.move(result, { status: "IN_PROGRESS", progress: "20%", imageUrl: `${upstream.url}/picture.png` });
    await fixture.poll();
    const image = await fetchImage((await fetchTask(result)).imageUrl);
    expect(image.status).toBe(200);
    expect(image.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(image.headers.get("x-content-type-options")).toBe("nosniff");
    const forged = await fixture.relay.post(`/mj/notify/1-${"0".repeat(32)}`, { id: result, status: "SUCCESS" });
    expect(forged.status).toBe(400);
    expect(await fetchTask(result)).toMatchObject({ status: "IN_PROGRESS" });
    upstream.finish(result);
    await fixture.poll();
  });

  test("reveal other people's tasks to nobody", async () => {
    const { result } = await submit("imagine", { prompt: "mine" });
    const other = await fixture.relay.get(`/mj/task/${result}/fetch`, { "mj-api-secret": "sk-other" });
    expect(other.status).toBe(401);
    const own = await fixture.relay.get(`/mj/task/${result}/fetch`, { "mj-api-secret": "sk-test" });
    expect(own.status).toBe(200);
  });
});
