/** Videos and images of Jimeng: signed orders and polls, by the documented requests; charged and refunded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { volcengineHeaders } from "../../../src/providers/chinese-labs/volcengine/jimeng.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

type Json = Record<string, unknown>;

const KEY = "AccessKey|SecretKey";
const orders: Json[] = [];
const polls: Json[] = [];
/** How tasks stand, by their ids; the first states of an image are in its list. */
const states = new Map<string, Json>();
const imageStates: Json[] = [];

const answered = (data: Json | null, code = 10_000, message = "Success") =>
  Response.json(
    { code, data, message, request_id: "20261127160000", status: code, time_elapsed: "104.852787ms" },
    { status: code === 10_000 ? 200 : 400 },
  );

/** The visual services: each request must have the signature of its own body and query. */
const upstream = startUpstream(({ path, headers, text }, request) => {
  const at = Date.parse((headers.get("x-date") ?? "").replace(/^(....)(..)(..T..)(..)/, "$1-$2-$3:$4:")) / 1000;
  const expected = volcengineHeaders({ url: request.url, body: text }, KEY, Number.isFinite(at) ? at : 0);
  if (headers.get("authorization") !== expected.authorization || Math.abs(Date.now() / 1000 - at) > 300) {
    const problem = { CodeN: 100_010, Code: "SignatureDoesNotMatch", Message: "The signature does not match." };
    return Response.json({ ResponseMetadata: { RequestId: "r", Error: problem } }, { status: 401 });
  }
  const query = new URL(request.url).searchParams;
  if (path !== "/" || query.get("Version") !== "2022-08-31") return new Response("", { status: 404 });
  const body = JSON.parse(text) as Json;
  if (query.get("Action") === "CVSync2AsyncGetResult") {
    polls.push(body);
    if (String(body.req_key).includes("t2i")) return answered(imageStates.shift() ?? { status: "not_found" });
    const state = states.get(String(body.task_id));
    return state?.code ? answered(null, Number(state.code), "Post Img Risk Not Pass") : answered(state ?? null);
  }
  orders.push(body);
  if (body.prompt === "forbidden") return answered(null, 50_412, "Text Risk Not Pass");
  const id = `task-${states.size}`;
  states.set(id, { status: "in_queue" });
  return answered({ task_id: id });
});

const VIDEOS = ["jimeng_v30", "jimeng_v30_1080p", "jimeng_v30_pro"];
let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  fixture = await startTasks({
    channels: [
      { type: 1018, baseUrl: upstream.url, keys: [KEY], models: [...VIDEOS, "jimeng_t2i_v40"] },
      { type: 1018, baseUrl: upstream.url, keys: ["AccessKey|wrong"], models: ["jimeng_wrong"] },
    ],
    options: {
      ModelPrice: JSON.stringify({
        ...Object.fromEntries(VIDEOS.map((model) => [model, 0.1])),
        jimeng_t2i_v40: 0.03,
        jimeng_wrong: 0.1,
      }),
      RetryTimes: "0",
    },
  });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
});

const order = async (body: object) => {
  const answer = await fixture.relay.post("/v1/videos", body);
  return { status: answer.status, body: (await answer.json()) as Json & { id: string } };
};
const video = async (id: string) => (await (await fixture.relay.get(`/v1/videos/${id}`)).json()) as Json;
const newest = () => [...states.keys()].at(-1) ?? "";

test("a request has the signature that Volcano Engine's own SDK gives it", () => {
  // Made with `Signer` of @volcengine/openapi 1.36.2.
  const url = "https://visual.volcengineapi.com/?Version=2022-08-31&Action=CVSync2AsyncSubmitTask";
  const body = '{"req_key":"jimeng_t2v_v30","prompt":"a cat"}';
  expect(volcengineHeaders({ url, body }, KEY, Date.parse("2026-11-27T08:00:00Z") / 1000)).toEqual({
    "x-date": "20261127T080000Z",
    "x-content-sha256": "2f281458116057487058e763801dcbee397c7b649f1cf0ab06a3f7d7a8143edb",
    authorization:
      "HMAC-SHA256 Credential=AccessKey/20261127/cn-north-1/cv/request, SignedHeaders=host;x-content-sha256;x-date, Signature=83ccfe3ee82c667238739a117da39e9bd069d0851d4180b1f905e2f86c54dfd2",
  });
});

describe("videos", () => {
  test("are ordered by the name that fits their images, followed, charged by the second and shown", async () => {
    const before = await fixture.spent();
    const { body } = await order({ model: "jimeng_v30", prompt: "a cat", seconds: 5, size: "1280x720", seed: 3 });
    expect(orders.at(-1)).toEqual({
      req_key: "jimeng_t2v_v30",
      prompt: "a cat",
      aspect_ratio: "16:9",
      seed: 3,
      frames: 121,
    });
    expect((await fixture.spent()) - before).toBe(5 * 0.1 * 500_000);
    const id = newest();
    states.set(id, { status: "generating" });
    await fixture.poll();
    expect(polls.at(-1)).toEqual({ req_key: "jimeng_t2v_v30", task_id: id });
    expect(await video(body.id)).toMatchObject({ status: "in_progress", progress: 50 });
    states.set(id, { status: "done", video_url: "https://cdn.test/cat.mp4", binary_data_base64: [], resp_data: "" });
    await fixture.poll();
    expect(await video(body.id)).toMatchObject({ status: "completed" });
    const content = await fetch(`${fixture.relay.url}/v1/videos/${body.id}/content`, {
      headers: { authorization: "Bearer sk-test" },
      redirect: "manual",
    });
    expect([content.status, content.headers.get("location")]).toEqual([302, "https://cdn.test/cat.mp4"]);
  });

  test.each([
    ["jimeng_v30", ["https://x.test/a.png"], "jimeng_i2v_first_v30", "image_urls"],
    ["jimeng_v30_1080p", [], "jimeng_t2v_v30_1080p", "prompt"],
    [
      "jimeng_v30_1080p",
      ["data:image/png;base64,aa", "data:image/png;base64,bb"],
      "jimeng_i2v_first_tail_v30_1080",
      "binary_data_base64",
    ],
    ["jimeng_v30_pro", ["https://x.test/a.png"], "jimeng_ti2v_v30_pro", "image_urls"],
  ])("of %s with %j are %s", async (model, images, reqKey, member) => {
    expect((await order({ model, prompt: "it jumps", images, seconds: 10 })).status).toBe(200);
    expect(orders.at(-1)).toMatchObject({ req_key: reqKey, frames: 241 });
    if (member === "binary_data_base64") expect(orders.at(-1)?.[member]).toEqual(["aa", "bb"]);
    else expect(orders.at(-1)?.[member]).toBeDefined();
  });

  test("that are refused, or fail later, cost nothing", async () => {
    const before = await fixture.spent();
    expect(await order({ model: "jimeng_v30", prompt: "forbidden" })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("Text Risk Not Pass") } },
    });
    expect((await order({ model: "jimeng_wrong", prompt: "a cat" })).status).toBeGreaterThanOrEqual(400);
    expect(await fixture.spent()).toBe(before);
    const { body } = await order({ model: "jimeng_v30", prompt: "a dog" });
    states.set(newest(), { code: 50_511 });
    // A charge is refunded once it is in the database.
    expect((await fixture.spent()) - before).toBe(5 * 0.1 * 500_000);
    await fixture.poll();
    expect(await video(body.id)).toMatchObject({ error: { message: "Post Img Risk Not Pass" } });
    const expired = await order({ model: "jimeng_v30", prompt: "a bird" });
    states.set(newest(), { status: "expired" });
    expect((await fixture.spent()) - before).toBe(5 * 0.1 * 500_000);
    await fixture.poll();
    expect(await video(expired.body.id)).toMatchObject({ error: { message: "The task is expired." } });
    expect(await fixture.spent()).toBe(before);
  });
});

describe("its own API, with a key of the gateway", () => {
  const call = async (action: string, body: object, key?: string) => {
    const answer = await fetch(`${fixture.relay.url}/jimeng/?Action=CVSync2Async${action}&Version=2022-08-31`, {
      method: "POST",
      headers: { authorization: `Bearer ${key ?? "sk-test"}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Json & { data: Json } };
  };

  test("orders a video, is asked for it, and is charged by its frames", async () => {
    const before = await fixture.spent();
    const order = { req_key: "jimeng_v30", prompt: "a cat", frames: 241, aspect_ratio: "9:16", seed: 5 };
    const { body } = await call("SubmitTask", { ...order, binary_data_base64: ["aa"] });
    expect(body).toMatchObject({ code: 10_000, message: "Success", status: 10_000 });
    expect(orders.at(-1)).toEqual({ ...order, req_key: "jimeng_i2v_first_v30", binary_data_base64: ["aa"] });
    expect((await fixture.spent()) - before).toBe(10 * 0.1 * 500_000);
    const ask = { req_key: "jimeng_v30", task_id: body.data.task_id };
    expect((await call("GetResult", ask)).body.data).toMatchObject({ status: "in_queue", video_url: "" });
    states.set(newest(), { status: "done", video_url: "https://cdn.test/cat.mp4" });
    await fixture.poll();
    expect((await call("GetResult", ask)).body.data).toMatchObject({
      status: "done",
      video_url: "https://cdn.test/cat.mp4",
    });
  });

  test("reports failures with codes, refunds them, and shows nobody else's videos", async () => {
    const before = await fixture.spent();
    const { body } = await call("SubmitTask", { req_key: "jimeng_v30", prompt: "a dog" });
    states.set(newest(), { code: 50_511 });
    expect((await fixture.spent()) - before).toBe(5 * 0.1 * 500_000);
    await fixture.poll();
    expect((await call("GetResult", { req_key: "jimeng_v30", task_id: body.data.task_id })).body).toMatchObject({
      code: 50_500,
      data: null,
      message: "Post Img Risk Not Pass",
    });
    expect(await fixture.spent()).toBe(before);
    const refused = await Promise.all([
      call("SubmitTask", { req_key: "jimeng_v30", prompt: "forbidden" }),
      call("SubmitTask", { prompt: "a cat" }),
      call("SubmitTask", { req_key: "jimeng_t2i_v40", prompt: "a cat" }),
      call("SubmitTask", { req_key: "jimeng_v30", prompt: "a cat", frames: 99_999 }),
      call("GetResult", { req_key: "jimeng_v30", task_id: "video_unknown" }),
      call("Unknown", {}),
      call("Unknown", {}, "sk-nobody"),
      call("GetResult", { task_id: body.data.task_id }, "sk-nobody"),
    ]);
    expect(refused.map(({ status, body: { code } }) => [status, code])).toEqual([
      [400, 50_215],
      [400, 50_215],
      [400, 50_215],
      [400, 50_215],
      [404, 50_500],
      [400, 50_215],
      [401, 50_400],
      [401, 50_400],
    ]);
    expect(await fixture.spent()).toBe(before);
  });
});

describe("images", () => {
  const image = (body: object) => fixture.relay.post("/v1/images/generations", { model: "jimeng_t2i_v40", ...body });

  test("are made by a task that is asked about with signed requests", async () => {
    const before = await fixture.spent();
    imageStates.push({ status: "in_queue" }, { status: "done", image_urls: ["https://cdn.test/cat.png"] });
    const answer = await image({ prompt: "a cat", size: "2048x1152", image: ["https://x.test/a.png"] });
    expect(await answer.json()).toMatchObject({ data: [{ url: "https://cdn.test/cat.png" }] });
    expect(orders.at(-1)).toEqual({
      req_key: "jimeng_t2i_v40",
      prompt: "a cat",
      width: 2048,
      height: 1152,
      force_single: true,
      image_urls: ["https://x.test/a.png"],
    });
    const poll = { req_key: "jimeng_t2i_v40", task_id: newest(), req_json: '{"return_url":true}' };
    expect(polls.slice(-2)).toEqual([poll, poll]);
    expect((await fixture.spent()) - before).toBe(0.03 * 500_000);
  });

  test("that are refused, get lost or are several cost nothing", async () => {
    const before = await fixture.spent();
    expect((await image({ prompt: "forbidden" })).status).toBe(400);
    expect((await image({ prompt: "a cat" })).status).toBe(502);
    expect((await image({ prompt: "a cat", n: 2 })).status).toBe(400);
    expect(await fixture.spent()).toBe(before);
  });
});
