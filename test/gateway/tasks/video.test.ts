import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jwtVerify } from "jose";
import { providerOf } from "../../../src/providers/registry.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

type Json = Record<string, unknown>;

const SECRET = new TextEncoder().encode("kling-secret");
/** How tasks stand, by the upstreams' names of them. */
const klingTasks = new Map<string, Json>();
const viduTasks = new Map<string, Json>();
const orders: { path: string; body: Json }[] = [];

const pack = (status: string, remaining_quantity: number) => ({
  resource_pack_name: "Video",
  resource_pack_type: "decreasing_total",
  total_quantity: 200,
  remaining_quantity,
  status,
});

/** Kling's interface: tokens are really verified, tasks are returned where they were ordered. */
const kling = startUpstream(async ({ path, headers, text }) => {
  const token = headers.get("authorization")?.replace("Bearer ", "") ?? "";
  const verified = await jwtVerify(token, SECRET, { issuer: "kling-access", algorithms: ["HS256"] }).catch(() => null);
  if (!verified?.payload.exp || !verified.payload.nbf) {
    return Response.json({ code: 1000, message: "Authentication failed" }, { status: 401 });
  }
  if (path === "/account/costs") {
    const packs = [pack("online", 118.5), pack("online", 40), pack("expired", 7), pack("toBeOnline", 200)];
    return Response.json({ code: 0, data: { code: 0, msg: "success", resource_pack_subscribe_infos: packs } });
  }
  const [, , , kind = "", id] = path.split("/");
  if (id) {
    const known = klingTasks.get(id);
    return known?.kind === kind
      ? Response.json({ code: 0, message: "SUCCEED", data: known })
      : Response.json({ code: 1203 }, { status: 404 });
  }
  const body = JSON.parse(text) as Json;
  orders.push({ path, body });
  if (body.prompt === "forbidden") return Response.json({ code: 1301, message: "risk control" });
  const name = `kling-${klingTasks.size}`;
  klingTasks.set(name, { task_id: name, kind, task_status: "submitted", created_at: 1_722_769_557_708 });
  return Response.json({ code: 0, message: "SUCCEED", data: klingTasks.get(name) });
});

/** What is left at Vidu, in packages. */
const viduCredits = {
  remains: [
    { type: "test", credit_remain: 12, concurrency_limit: 2, current_concurrency: 0, queue_count: 0 },
    { type: "metered", credit_remain: 480, concurrency_limit: 5, current_concurrency: 1, queue_count: 0 },
  ],
  packages: [],
};

/** Vidu's interface. */
const vidu = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Token vidu-key") return Response.json({ message: "no" }, { status: 403 });
  if (path === "/ent/v2/credits") return Response.json(viduCredits);
  if (path.endsWith("/creations")) return Response.json(viduTasks.get(path.split("/")[4] ?? "") ?? {});
  orders.push({ path, body: JSON.parse(text) as Json });
  const name = `vidu-${viduTasks.size}`;
  viduTasks.set(name, { id: name, state: "created" });
  return Response.json({ task_id: name, state: "created" });
});

/** Tasks of Wan and Seedance, by their names there. */
const wanTasks = new Map<string, Json>();
const arkTasks = new Map<string, Json>();

/** DashScope's interface: orders without the asynchronous header are refused. */
const wan = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Bearer wan-key")
    return Response.json({ code: "InvalidApiKey" }, { status: 401 });
  const [id = ""] = path.split("/").slice(-1);
  if (path.startsWith("/api/v1/tasks/")) return Response.json({ request_id: "r", output: wanTasks.get(id) });
  if (headers.get("x-dashscope-async") !== "enable") return Response.json({ code: "AccessDenied" }, { status: 403 });
  orders.push({ path, body: JSON.parse(text) as Json });
  const task = { task_id: `wan-${wanTasks.size}`, task_status: "PENDING" };
  wanTasks.set(task.task_id, task);
  return Response.json({ request_id: "r", output: task });
});

/** Ark's interface. */
const ark = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Bearer ark-key")
    return Response.json({ error: { message: "no" } }, { status: 401 });
  const [, , , , , , id] = path.split("/");
  if (id) return Response.json(arkTasks.get(id));
  orders.push({ path, body: JSON.parse(text) as Json });
  const name = `cgt-${arkTasks.size}`;
  arkTasks.set(name, { id: name, status: "queued", created_at: 1_722_769_557, updated_at: 1_722_769_557 });
  return Response.json({ id: name });
});

/** Tasks of Runway, by their names there. */
const runwayTasks = new Map<string, Json>();

/** Runway's interface: requests without its version are refused. */
const runway = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Bearer key_runway") return Response.json({ error: "no" }, { status: 401 });
  if (headers.get("x-runway-version") !== "2024-11-06") return Response.json({ error: "no version" }, { status: 400 });
  const [, , kind, id = ""] = path.split("/");
  if (kind === "tasks") return Response.json(runwayTasks.get(id));
  orders.push({ path, body: JSON.parse(text) as Json });
  const name = `runway-${runwayTasks.size}`;
  runwayTasks.set(name, { id: name, status: "PENDING", createdAt: "2026-11-26T20:00:00.000Z" });
  return Response.json({ id: name });
});

const CHINESE = {
  "wan2.5-t2v-preview": 0.136986,
  "wan2.5-i2v-preview": 0.136986,
  "doubao-seedance-1-0-pro-250528": 0.042329,
};

let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  fixture = await startTasks({
    channels: [
      { type: 1010, baseUrl: kling.url, keys: ["kling-access|kling-secret"], models: ["kling-v1", "priceless"] },
      { type: 1011, baseUrl: vidu.url, keys: ["vidu-key"], models: ["viduq1"] },
      { type: 17, baseUrl: wan.url, keys: ["wan-key"], models: ["wan2.5-t2v-preview", "wan2.5-i2v-preview"] },
      { type: 1012, baseUrl: runway.url, keys: ["key_runway"], models: ["gen4.5", "gen4_turbo"] },
      { type: 45, baseUrl: ark.url, keys: ["ark-key"], models: ["doubao-seedance-1-0-pro-250528"] },
    ],
    options: {
      ModelPrice: JSON.stringify({ "kling-v1": 0.028, viduq1: 0.08, "gen4.5": 0.12, gen4_turbo: 0.05, ...CHINESE }),
    },
  });
});
afterAll(async () => {
  await fixture.stop();
  kling.stop();
  vidu.stop();
  wan.stop();
  ark.stop();
  runway.stop();
});

const order = async (body: object, path = "/v1/videos") => {
  const answer = await fixture.relay.post(path, body);
  return { status: answer.status, body: (await answer.json()) as Json & { id: string; task_id: string } };
};
const get = async (path: string) => (await (await fixture.relay.get(path)).json()) as Json;

describe("a video", () => {
  test("is ordered at Kling in OpenAI's way, priced by the second, followed and shown", async () => {
    const { body } = await order({ model: "kling-v1", prompt: "a cat", seconds: "10", size: "1280x720", mode: "pro" });
    expect(body).toMatchObject({ object: "video", status: "queued", model: "kling-v1", seconds: "10", progress: 0 });
    expect(orders.at(-1)).toEqual({
      path: "/v1/videos/text2video",
      body: { model_name: "kling-v1", prompt: "a cat", duration: "10", aspect_ratio: "16:9", mode: "pro" },
    });
    // 10 × $0.098, as mode “pro” costs, at 500,000 units a dollar.
    expect(await fixture.spent()).toBe(490_000);
    expect((await fixture.lastCharge()).receipt).toMatchObject({
      lines: [{ item: "per_second", quantity: "10", factor: "0.098" }],
      variant: "mode=pro",
    });
    const early = await fixture.relay.get(`/v1/videos/${body.id}/content`);
    expect([early.status, await early.json()]).toMatchObject([404, { error: { code: "video_not_ready" } }]);
    const url = "https://cdn.example/cat.mp4";
    const done = { task_status: "succeed", task_result: { videos: [{ id: "1", url, duration: "10" }] } };
    klingTasks.set("kling-0", { ...klingTasks.get("kling-0"), ...done, updated_at: 1_722_769_657_000 });
    await fixture.poll();
    expect(await get(`/v1/videos/${body.id}`)).toMatchObject({
      status: "completed",
      progress: 100,
      completed_at: 1_722_769_657,
      error: null,
    });
    const content = await fetch(`${fixture.relay.url}/v1/videos/${body.id}/content`, {
      headers: { authorization: "Bearer sk-test" },
      redirect: "manual",
    });
    expect([content.status, content.headers.get("location")]).toEqual([302, url]);
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "completed", url, format: "mp4" });
  });

  test("is ordered at Vidu in the ecosystem's way; one that fails costs nothing", async () => {
    const before = await fixture.spent();
    const imageUrl = "https://example.test/cat.png";
    const { body } = await order(
      {
        model: "viduq1",
        prompt: "it jumps",
        image: imageUrl,
        duration: 5,
        metadata: { resolution: "1080p", duration: 1 },
      },
      "/v1/video/generations",
    );
    expect(orders.at(-1)).toEqual({
      path: "/ent/v2/img2video",
      body: { model: "viduq1", prompt: "it jumps", duration: 5, images: [imageUrl], resolution: "1080p" },
    });
    expect((await fixture.spent()) - before).toBe(200_000);
    viduTasks.set("vidu-0", { id: "vidu-0", state: "failed", err_code: "TaskPromptPolicyViolation" });
    await fixture.poll();
    const error = { code: "video_generation_failed", message: "TaskPromptPolicyViolation" };
    expect(await get(`/v1/video/generations/${body.task_id}`)).toMatchObject({ status: "failed", url: "", error });
    expect(await fixture.spent()).toBe(before);
  });

  test("is ordered at Wan, at the price of its resolution, followed and shown", async () => {
    const before = await fixture.spent();
    const { body } = await order({ model: "wan2.5-t2v-preview", prompt: "a cat", seconds: "5", size: "720x1280" });
    expect(orders.at(-1)).toEqual({
      path: "/api/v1/services/aigc/video-generation/video-synthesis",
      body: {
        model: "wan2.5-t2v-preview",
        input: { prompt: "a cat" },
        parameters: { size: "720*1280", duration: 5 },
      },
    });
    expect((await fixture.lastCharge()).receipt).toMatchObject({ variant: "size=1280x720|720x1280" });
    const fields = {
      model: "wan2.5-i2v-preview",
      prompt: "it jumps",
      image: "https://example.test/cat.png",
      seconds: 10,
    };
    // What the price depends on cannot come in by another member.
    await order({ ...fields, resolution: "480p", size: "1920x1080", seed: 7, parameters: { resolution: "1080P" } });
    expect(orders.at(-1)?.body).toEqual({
      model: "wan2.5-i2v-preview",
      input: { prompt: "it jumps", img_url: "https://example.test/cat.png" },
      parameters: { seed: 7, resolution: "480P", duration: 10 },
    });
    expect((await fixture.lastCharge()).receipt).toMatchObject({ variant: "resolution=480p" });
    const url = "https://cdn.example/wan.mp4";
    wanTasks.set("wan-0", { task_id: "wan-0", task_status: "SUCCEEDED", video_url: url });
    wanTasks.set("wan-1", { task_id: "wan-1", task_status: "FAILED", code: "DataInspectionFailed", message: "unsafe" });
    const charged = await fixture.spent();
    await fixture.poll();
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "completed", url });
    expect(await fixture.spent()).toBeLessThan(charged);
    expect(await fixture.spent()).toBeGreaterThan(before);
  });

  test("is ordered at Runway from text or images, priced by the second, followed and refunded", async () => {
    const before = await fixture.spent();
    const { body } = await order({ model: "gen4.5", prompt: "a cat", seconds: "5", size: "720x1280", duration: 10 });
    expect(orders.at(-1)).toEqual({
      path: "/v1/text_to_video",
      body: { model: "gen4.5", promptText: "a cat", ratio: "720:1280", duration: 5 },
    });
    expect((await fixture.spent()) - before).toBe(5 * 0.12 * 500_000);
    const images = ["https://example.test/a.png", "https://example.test/b.png"];
    // What the price depends on cannot come in by another member.
    const second = await order({
      model: "gen4_turbo",
      prompt: "it jumps",
      images,
      seconds: 10,
      size: "1920x1080",
      metadata: { seed: 7 },
    });
    expect(orders.at(-1)).toEqual({
      path: "/v1/image_to_video",
      body: {
        model: "gen4_turbo",
        promptText: "it jumps",
        promptImage: [
          { uri: images[0], position: "first" },
          { uri: images[1], position: "last" },
        ],
        ratio: "1280:720",
        seed: 7,
        duration: 10,
      },
    });
    expect((await fixture.spent()) - before).toBe((5 * 0.12 + 10 * 0.05) * 500_000);
    const url = "https://cdn.example/runway.mp4";
    runwayTasks.set("runway-0", { id: "runway-0", status: "RUNNING", progress: 0.42 });
    runwayTasks.set("runway-1", { id: "runway-1", status: "FAILED", failure: "unsafe", failureCode: "SAFETY.INPUT" });
    await fixture.poll();
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "in_progress" });
    runwayTasks.set("runway-0", { id: "runway-0", status: "SUCCEEDED", output: [url] });
    await fixture.poll();
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "completed", url });
    expect(await get(`/v1/video/generations/${second.body.id}`)).toMatchObject({ status: "failed" });
    // The failed one costs nothing.
    expect((await fixture.spent()) - before).toBe(5 * 0.12 * 500_000);
  });

  test("is ordered at Seedance with its first and last frame, followed and shown", async () => {
    const images = ["https://example.test/a.png", "https://example.test/b.png"];
    const model = "doubao-seedance-1-0-pro-250528";
    const { body } = await order({
      model,
      prompt: "from a to b",
      images,
      seconds: 5,
      metadata: { camera_fixed: true },
    });
    expect(orders.at(-1)).toEqual({
      path: "/api/v3/contents/generations/tasks",
      body: {
        model,
        content: [
          { type: "text", text: "from a to b" },
          { type: "image_url", image_url: { url: images[0] }, role: "first_frame" },
          { type: "image_url", image_url: { url: images[1] }, role: "last_frame" },
        ],
        camera_fixed: true,
        resolution: "720p",
        duration: 5,
      },
    });
    await order({ model, prompt: "a cat", size: "1920x1080" });
    expect(orders.at(-1)?.body).toMatchObject({ resolution: "1080p", ratio: "16:9" });
    const url = "https://cdn.example/seedance.mp4";
    arkTasks.set("cgt-0", { id: "cgt-0", status: "succeeded", content: { video_url: url }, updated_at: 1_722_769_657 });
    const error = { code: "OutputVideoSensitiveContentDetected", message: "sensitive" };
    arkTasks.set("cgt-1", { id: "cgt-1", status: "failed", error, updated_at: 1_722_769_657 });
    const charged = await fixture.spent();
    await fixture.poll();
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "completed", url });
    expect(await fixture.spent()).toBeLessThan(charged);
  });

  test("that is refused, has no price or is somebody else's is rejected, and costs nothing", async () => {
    const before = await fixture.spent();
    const refused = await order({ model: "kling-v1", prompt: "forbidden" });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "video_refused" } } });
    expect(await order({ model: "priceless", prompt: "a cat" })).toMatchObject({ status: 500 });
    expect(await order({ model: "kling-v1", prompt: "a cat", seconds: 0 })).toMatchObject({ status: 400 });
    expect(await order({ model: "kling-v1" })).toMatchObject({ status: 400 });
    expect((await fixture.relay.get("/v1/videos/video_0123")).status).toBe(404);
    expect(await fixture.spent()).toBe(before);
  });
});

test("what is left at Kling is shown in units of the packs in use", async () => {
  const { balance, authHeaders } = providerOf(1010) ?? {};
  const channel = { baseUrl: kling.url, other: "", openaiOrganization: "" };
  const headers = authHeaders?.(channel, "kling-access|kling-secret") ?? {};
  const url = new URL(balance?.url(channel) ?? "");
  const [from, until] = ["start_time", "end_time"].map((name) => Number(url.searchParams.get(name)));
  // Milliseconds; a pack of a year that was bought long ago is among them.
  expect([Number(until) - Number(from), String(until).length]).toEqual([400 * 86_400_000, 13]);
  const answer: unknown = await (await fetch(url, { headers })).json();
  expect([balance?.read(answer), balance?.currency?.(channel, answer)]).toEqual([158.5, "units"]);
  const balanceOf = (packs: unknown) => balance?.read({ data: { resource_pack_subscribe_infos: packs } });
  expect([balanceOf([pack("runOut", 0)]), balanceOf([]), balance?.read({ code: 1000 })]).toEqual([0, null, null]);
});

test("what is left at Vidu is shown in credits", async () => {
  const { balance, authHeaders } = providerOf(1011) ?? {};
  const channel = { baseUrl: vidu.url, other: "", openaiOrganization: "" };
  const headers = authHeaders?.(channel, "vidu-key") ?? {};
  const answer: unknown = await (await fetch(balance?.url(channel) ?? "", { headers })).json();
  expect([balance?.read(answer), balance?.currency?.(channel, answer)]).toEqual([492, "credits"]);
  // Whoever pays by how many orders run at once has no credits, and is not out of money.
  expect(balance?.read({ remains: [{ type: "concurrent", credit_remain: 0 }] })).toBeNull();
  expect([balance?.read({ remains: [] }), balance?.read({ message: "no" })]).toEqual([0, null]);
});
