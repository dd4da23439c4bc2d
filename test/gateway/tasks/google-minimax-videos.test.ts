/** Videos of Veo, on the Gemini API and on Vertex AI, and of MiniMax: ordered, followed, read, charged, refunded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { DEFAULT_VIDEO_PRICE } from "../../../src/billing/pricing/ratios/default-ratios.ts";
import { shippedRatios } from "../../../src/domain/models/pricing.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

type Json = Record<string, unknown>;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const orders: { path: string; body: Json }[] = [];
/** How operations and tasks stand, by their names. */
const operations = new Map<string, Json>();
const minimaxTasks = new Map<string, Json>();
/** What an order waits for before it is answered. */
let gate: Promise<unknown> = Promise.resolve();

/** The Gemini API: operations are looked up by their names, files are downloaded with the key and by a redirect. */
const gemini = startUpstream(async ({ path, headers, text }, request) => {
  const { search } = new URL(request.url);
  if (path === "/storage/cat.mp4") {
    return headers.get("x-goog-api-key") === "AIza-key"
      ? new Response("cat", VIDEO)
      : new Response("", { status: 403 });
  }
  if (headers.get("x-goog-api-key") !== "AIza-key") {
    return Response.json({ error: { code: 403, message: "no key", status: "PERMISSION_DENIED" } }, { status: 403 });
  }
  if (path === "/v1beta/files/cat:download" && search === "?alt=media") {
    return new Response(null, { status: 302, headers: { location: "/storage/cat.mp4" } });
  }
  const [, model] = /^\/v1beta\/models\/([\w.-]+):predictLongRunning$/.exec(path) ?? [];
  if (!model) {
    const operation = operations.get(path.replace("/v1beta/", ""));
    return operation ? Response.json(operation) : Response.json({ error: { code: 404 } }, { status: 404 });
  }
  const body = JSON.parse(text) as Json;
  orders.push({ path, body });
  await gate;
  if (JSON.stringify(body).includes("forbidden")) {
    return Response.json({ error: { code: 400, message: "blocked", status: "INVALID_ARGUMENT" } }, { status: 400 });
  }
  const name = `models/${model}/operations/op-${operations.size}`;
  operations.set(name, { name });
  return Response.json({ name });
});

const VIDEO = { headers: { "content-type": "video/mp4" } };
const ACCOUNT = await generateKeyPair("RS256", { extractable: true });

/** Vertex AI: access tokens for signed assertions; operations are looked up by a method of the model. */
const vertex = startUpstream(async ({ path, headers, text }) => {
  if (path === "/token") {
    const assertion = new URLSearchParams(text).get("assertion") ?? "";
    await jwtVerify(assertion, ACCOUNT.publicKey, { issuer: "films@p-1.iam.gserviceaccount.com" });
    return Response.json({ access_token: "token-1", expires_in: 3599, token_type: "Bearer" });
  }
  if (headers.get("authorization") !== "Bearer token-1")
    return Response.json({ error: { code: 401 } }, { status: 401 });
  const [, model, method] = /^\/v1\/(projects\/p-1\/locations\/us-central1\/.*):(\w+)$/.exec(path) ?? [];
  const body = JSON.parse(text) as Json;
  if (method === "fetchPredictOperation") return Response.json(operations.get(String(body.operationName)) ?? {});
  orders.push({ path, body });
  const name = `${model}/operations/op-${operations.size}`;
  operations.set(name, { name });
  return Response.json({ name });
});

/** MiniMax: failures have status 200; a file's address is looked up. */
const minimax = startUpstream(({ path, headers, text }, request) => {
  if (headers.get("authorization") !== "Bearer minimax-key")
    return Response.json({ base_resp: { status_code: 1004, status_msg: "no" } });
  const query = new URL(request.url).searchParams;
  const ok = { status_code: 0, status_msg: "success" };
  if (path === "/v1/files/retrieve") {
    const file = { file_id: query.get("file_id"), purpose: "video_generation", download_url: "https://cdn.test/h.mp4" };
    return Response.json({ file, base_resp: ok });
  }
  if (path === "/v1/query/video_generation")
    return Response.json({ ...minimaxTasks.get(query.get("task_id") ?? ""), base_resp: ok });
  const [, second] = /^\/v2\/query\/video_generation\/(.+)$/.exec(path) ?? [];
  if (second) return Response.json({ task: minimaxTasks.get(second) });
  const body = JSON.parse(text) as Json;
  orders.push({ path, body });
  if (body.prompt === "forbidden")
    return Response.json({ task_id: "", base_resp: { status_code: 1026, status_msg: "sensitive content" } });
  const id = `task-${minimaxTasks.size}`;
  minimaxTasks.set(id, path.startsWith("/v2") ? { id, status: "queued" } : { task_id: id, status: "Preparing" });
  return Response.json({ task_id: id, base_resp: ok });
});

const PREVIEW = "veo-3.1-generate-preview";
const FAST = "veo-3.1-fast-generate-preview";
const PRICES = { [PREVIEW]: 0.4, [FAST]: 0.1, "MiniMax-H3": 0.08, "veo-on-vertex": 0.4 };
const HAILUO = shippedRatios("MiniMax-Hailuo-02");

let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  const account = JSON.stringify({
    type: "service_account",
    project_id: "p-1",
    client_email: "films@p-1.iam.gserviceaccount.com",
    private_key: await exportPKCS8(ACCOUNT.privateKey),
    private_key_id: "k",
    token_uri: `${vertex.url}/token`,
  });
  fixture = await startTasks({
    channels: [
      { type: 24, baseUrl: gemini.url, keys: ["AIza-key"], models: [PREVIEW, FAST] },
      { type: 41, baseUrl: vertex.url, keys: [account], other: "us-central1", models: ["veo-on-vertex"] },
      { type: 35, baseUrl: `${minimax.url}/v1`, keys: ["minimax-key"], models: ["MiniMax-H3", "MiniMax-Hailuo-02"] },
    ],
    options: {
      ModelPrice: JSON.stringify({ ...PRICES, "MiniMax-Hailuo-02": HAILUO.ModelPrice }),
      VideoPrice: JSON.stringify({ ...DEFAULT_VIDEO_PRICE, "MiniMax-Hailuo-02": HAILUO.VideoPrice }),
    },
  });
});
afterAll(async () => {
  await fixture.stop();
  for (const upstream of [gemini, vertex, minimax]) upstream.stop();
});

const order = async (body: object) => {
  const answer = await fixture.relay.post("/v1/videos", body);
  return { status: answer.status, body: (await answer.json()) as Json & { id: string } };
};
const get = async (path: string) => (await (await fixture.relay.get(path)).json()) as Json;
const content = (id: string) =>
  fetch(`${fixture.relay.url}/v1/videos/${id}/content`, {
    headers: { authorization: "Bearer sk-test" },
    redirect: "manual",
  });
const dollars = async () => (await fixture.spent()) / 500_000;
/** The name of the newest operation. */
const newest = () => [...operations.keys()].at(-1) ?? "";

describe("Veo on the Gemini API", () => {
  test("makes a video from text, priced by its resolution, which is read with the channel's key", async () => {
    const before = await dollars();
    const { body } = await order({
      model: PREVIEW,
      prompt: "a cat",
      size: "2160x3840",
      metadata: { negativePrompt: "dogs", durationSeconds: 4, sampleCount: 4 },
    });
    expect(body).toMatchObject({ status: "queued", seconds: "8" });
    // What the price depends on cannot come in by another member.
    expect(orders.at(-1)).toEqual({
      path: `/v1beta/models/${PREVIEW}:predictLongRunning`,
      body: {
        instances: [{ prompt: "a cat" }],
        parameters: {
          aspectRatio: "9:16",
          negativePrompt: "dogs",
          resolution: "4k",
          durationSeconds: 8,
          sampleCount: 1,
        },
      },
    });
    expect((await dollars()) - before).toBeCloseTo(8 * 0.6, 9);
    expect((await fixture.lastCharge()).receipt).toMatchObject({ variant: "size=3840x2160|2160x3840" });
    const name = newest();
    await fixture.poll();
    expect(await get(`/v1/videos/${body.id}`)).toMatchObject({ status: "in_progress", progress: 50 });
    expect((await content(body.id)).status).toBe(404);
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/cat:download?alt=media";
    const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
    operations.set(name, { name, done: true, response });
    await fixture.poll();
    expect(await get(`/v1/videos/${body.id}`)).toMatchObject({ status: "completed", progress: 100 });
    const read = await content(body.id);
    expect([read.status, read.headers.get("content-type"), await read.text()]).toEqual([200, "video/mp4", "cat"]);
  });

  test("takes a first and a last frame; what it filters, or fails at, costs nothing", async () => {
    const before = await fixture.spent();
    const image = `data:image/png;base64,${PIXEL}`;
    const first = await order({
      model: FAST,
      prompt: "it jumps",
      images: [image, image],
      seconds: 4,
      resolution: "1080p",
    });
    const frame = { bytesBase64Encoded: PIXEL, mimeType: "image/png" };
    expect(orders.at(-1)?.body).toEqual({
      instances: [{ prompt: "it jumps", image: frame, lastFrame: frame }],
      parameters: { resolution: "1080p", durationSeconds: 4, sampleCount: 1 },
    });
    const filtered = newest();
    const second = await order({ model: FAST, prompt: "a dog", seconds: 8 });
    expect((await fixture.spent()) - before).toBe((4 * 0.12 + 8 * 0.1) * 500_000);
    const raiMediaFilteredReasons = ["Celebrities are not shown."];
    const response = { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons } };
    operations.set(filtered, { name: filtered, done: true, response });
    const failed = newest();
    operations.set(failed, { name: failed, done: true, error: { code: 13, message: "internal error" } });
    await fixture.poll();
    const error = { code: "video_generation_failed" };
    const [reason] = raiMediaFilteredReasons;
    expect(await get(`/v1/videos/${first.body.id}`)).toMatchObject({ error: { ...error, message: reason } });
    expect(await get(`/v1/videos/${second.body.id}`)).toMatchObject({ error: { ...error, message: "internal error" } });
    expect(await fixture.spent()).toBe(before);
  });

  test("charges nothing for what is refused or not affordable, and once for who leaves", async () => {
    const before = await fixture.spent();
    expect(await order({ model: PREVIEW, prompt: "forbidden" })).toMatchObject({ status: 400 });
    const sentBefore = orders.length;
    // 60 × $0.60 is more than the balance: the hold fails before anything is sent.
    expect(await order({ model: PREVIEW, prompt: "a cat", seconds: 60, resolution: "4k" })).toMatchObject({
      status: 429,
    });
    expect([orders.length, await fixture.spent()]).toEqual([sentBefore, before]);
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const leaving = new AbortController();
    const left = fetch(`${fixture.relay.url}/v1/videos`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
      body: JSON.stringify({ model: FAST, prompt: "a bird", seconds: 8 }),
      signal: leaving.signal,
    }).catch(() => null);
    await until(() => orders.length > sentBefore);
    leaving.abort();
    await left;
    open.resolve();
    // The upstream makes it, so it is charged, and refunded when it fails.
    await until(async () => (await fixture.spent()) - before === 8 * 0.1 * 500_000);
    const name = newest();
    operations.set(name, { name, done: true, error: { code: 8, message: "quota" } });
    await until(async () => (await fixture.poll()) > 0);
    expect(await fixture.spent()).toBe(before);
  });
});

test("Veo on Vertex AI is ordered and followed with access tokens; the video is read from the operation", async () => {
  const before = await fixture.spent();
  const { body } = await order({ model: "veo-on-vertex", prompt: "a cat", seconds: 6, generateAudio: true });
  const model = "projects/p-1/locations/us-central1/publishers/google/models/veo-on-vertex";
  expect(orders.at(-1)).toEqual({
    path: `/v1/${model}:predictLongRunning`,
    body: {
      instances: [{ prompt: "a cat" }],
      parameters: { generateAudio: true, durationSeconds: 6, sampleCount: 1 },
    },
  });
  expect((await fixture.spent()) - before).toBe(1_200_000);
  const name = newest();
  const film = { bytesBase64Encoded: Buffer.from("film").toString("base64"), mimeType: "video/mp4" };
  operations.set(name, { name, done: true, response: { raiMediaFilteredCount: 0, videos: [film] } });
  await fixture.poll();
  expect(await get(`/v1/videos/${body.id}`)).toMatchObject({ status: "completed" });
  const read = await content(body.id);
  expect([read.status, read.headers.get("content-type"), await read.text()]).toEqual([200, "video/mp4", "film"]);
  // The database holds no bytes.
  const [row] = await fixture.database.sql`select data from media_tasks order by id desc limit 1`;
  expect(JSON.stringify(row)).not.toContain(film.bytesBase64Encoded);
});

describe("MiniMax", () => {
  test("makes a video with H3, priced by its resolution, and shows its URL", async () => {
    const before = await fixture.spent();
    const { body } = await order({
      model: "MiniMax-H3",
      prompt: "a cat",
      seconds: 5,
      resolution: "2k",
      size: "720x1280",
    });
    expect(orders.at(-1)).toEqual({
      path: "/v2/video_generation",
      body: {
        model: "MiniMax-H3",
        content: [{ type: "text", text: "a cat" }],
        ratio: "9:16",
        resolution: "2K",
        duration: 5,
      },
    });
    expect((await fixture.spent()) - before).toBe(5 * 0.13 * 500_000);
    const url = "https://cdn.test/h3.mp4";
    const [id = ""] = [...minimaxTasks.keys()].slice(-1);
    minimaxTasks.set(id, { id, status: "succeeded", content: { url } });
    await fixture.poll();
    expect(await get(`/v1/video/generations/${body.id}`)).toMatchObject({ status: "completed", url });
    const failing = await order({ model: "MiniMax-H3", prompt: "a dog" });
    const [next = ""] = [...minimaxTasks.keys()].slice(-1);
    minimaxTasks.set(next, { id: next, status: "failed", error: { code: "1026", message: "sensitive" } });
    expect((await fixture.spent()) - before).toBe((5 * 0.13 + 5 * 0.08) * 500_000);
    await fixture.poll();
    expect(await get(`/v1/videos/${failing.body.id}`)).toMatchObject({ error: { message: "sensitive" } });
    expect((await fixture.spent()) - before).toBe(5 * 0.13 * 500_000);
  });

  test("makes a video with Hailuo, whose URL is looked up when a client wants it; a refusal costs nothing", async () => {
    const before = await fixture.spent();
    const image = "https://example.test/cat.png";
    const { body } = await order({ model: "MiniMax-Hailuo-02", prompt: "it jumps", image, prompt_optimizer: false });
    expect(orders.at(-1)).toEqual({
      path: "/v1/video_generation",
      body: {
        model: "MiniMax-Hailuo-02",
        prompt: "it jumps",
        first_frame_image: image,
        prompt_optimizer: false,
        resolution: "768P",
        duration: 6,
      },
    });
    const [id = ""] = [...minimaxTasks.keys()].slice(-1);
    minimaxTasks.set(id, { task_id: id, status: "Success", file_id: "205258526306433" });
    await fixture.poll();
    const read = await content(body.id);
    expect([read.status, read.headers.get("location")]).toEqual([302, "https://cdn.test/h.mp4"]);
    const refused = await order({ model: "MiniMax-Hailuo-02", prompt: "forbidden" });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: "video_refused", message: expect.stringContaining("sensitive content") } },
    });
    expect((await fixture.spent()) - before).toBe(0.28 * 500_000);
  });

  test.each([
    [{}, 0.28, "768P", 6],
    [{ seconds: 10 }, 0.56, "768P", 10],
    [{ size: "1920x1080" }, 0.49, "1080P", 6],
    [{ metadata: { resolution: "1080P" } }, 0.49, "1080P", 6],
    [{ size: "1920x1080", metadata: { resolution: "768P" } }, 0.28, "768P", 6],
    [{ metadata: { resolution: "512P" } }, 0.1, "512P", 6],
    [{ seconds: "10", metadata: { resolution: "512p " } }, 0.15, "512P", 10],
  ])(
    "a video of Hailuo that asks for %p costs $%p, by length and resolution",
    async (fields, usd, resolution, duration) => {
      const before = await fixture.spent();
      await order({ model: "MiniMax-Hailuo-02", prompt: "waves", ...fields });
      expect(orders.at(-1)?.body).toMatchObject({ resolution, duration });
      expect((await fixture.spent()) - before).toBe(Math.round(usd * 500_000));
    },
  );
});
