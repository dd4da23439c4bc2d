import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

type Json = Record<string, unknown>;

/** How videos stand, by the upstream's names of them. */
const videos = new Map<string, Json>();
let made = 0;
const orders: { path: string; contentType: string; fields: Json }[] = [];
const BYTES = new Uint8Array(300_000).fill(7);

/** OpenAI's interface of videos, which knows two keys: each sees its own videos alone. */
const sora = startUpstream(async ({ path, headers, text }, request) => {
  const key = headers.get("authorization") ?? "";
  if (key !== "Bearer key-a" && key !== "Bearer key-b") return Response.json({ error: {} }, { status: 401 });
  const [, , , id = "", part = ""] = path.split("/");
  const isOrder = request.method === "POST";
  if (isOrder) {
    const contentType = headers.get("content-type") ?? "";
    const fields = contentType.startsWith("multipart/form-data") ? await formOf(contentType, text) : JSON.parse(text);
    orders.push({ path, contentType, fields });
    if (part === "remix" && videos.get(id)?.key !== key) return Response.json({ error: {} }, { status: 404 });
    if (fields.prompt === "tired" && key === "Bearer key-a") return new Response("{}", { status: 503 });
    if (fields.prompt === "forbidden") {
      return Response.json({ error: { message: "Not this.", code: "moderation_blocked" } }, { status: 400 });
    }
    made += 1;
    const name = `up_${made}`;
    const video = { id: name, object: "video", status: "queued", progress: 0, created_at: 1_760_000_000, key };
    videos.set(name, video);
    return Response.json(video);
  }
  const video = videos.get(id);
  if (!video || video.key !== key) return Response.json({ error: { message: "No such video" } }, { status: 404 });
  if (part === "content") return new Response(BYTES, { headers: { "content-type": "video/mp4" } });
  if (request.method === "DELETE") {
    videos.delete(id);
    return Response.json({ id, object: "video.deleted", deleted: true });
  }
  return Response.json(video);
});

async function formOf(contentType: string, text: string): Promise<Json> {
  const form = await new Response(text, { headers: { "content-type": contentType } }).formData();
  const entries = [...form].map(([name, value]) => [name, typeof value === "string" ? value : `file ${value.name}`]);
  return Object.fromEntries(entries) as Json;
}

let fixture: Awaited<ReturnType<typeof startTasks>>;
let client: OpenAI;
beforeAll(async () => {
  fixture = await startTasks({
    channels: [
      { type: 1, baseUrl: sora.url, keys: ["key-a"], models: ["sora-2", "sora-2-pro", "gpt-4o"] },
      { type: 1, baseUrl: `${sora.url}/v1`, keys: ["key-b"], models: ["sora-2-pro"] },
    ],
    options: { RetryTimes: "2" },
  });
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${fixture.relay.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await fixture.stop();
  sora.stop();
});

const finish = async (name: string, changes: Json) => {
  videos.set(name, { ...videos.get(name), ...changes });
  await fixture.poll();
};
const lastUpstream = (): string => [...videos.keys()].at(-1) ?? "";
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("OpenAI's client", () => {
  test("orders by a form with an image, follows, downloads, remixes, lists and deletes", async () => {
    const image = await toFile(new Uint8Array([137, 80, 78, 71]), "cat.png", { type: "image/png" });
    const made = await client.videos.create({ prompt: "a cat", seconds: "8", input_reference: image });
    expect(made).toMatchObject({ object: "video", model: "sora-2", status: "queued", seconds: "8", prompt: "a cat" });
    expect(orders.at(-1)?.fields).toEqual({
      prompt: "a cat",
      seconds: "8",
      model: "sora-2",
      input_reference: "file cat.png",
    });
    expect(await fixture.spent()).toBe(8 * 50_000);

    const own = lastUpstream();
    await finish(own, { status: "in_progress", progress: 40 });
    expect(await client.videos.retrieve(made.id)).toMatchObject({ status: "in_progress", progress: 40 });
    expect(await refusal(client.videos.delete(made.id))).toMatchObject({ status: 400 });
    await finish(own, { status: "completed", progress: 100, completed_at: 1_760_000_100, expires_at: 1_760_003_600 });
    expect(await client.videos.retrieve(made.id)).toMatchObject({
      status: "completed",
      completed_at: 1_760_000_100,
      expires_at: 1_760_003_600,
    });
    const content = await client.videos.downloadContent(made.id, { variant: "video" });
    expect([content.headers.get("content-type"), (await content.bytes()).byteLength]).toEqual(["video/mp4", 300_000]);

    const remix = await client.videos.remix(made.id, { prompt: "a dog" });
    expect(remix).toMatchObject({ remixed_from_video_id: made.id, seconds: "8", model: "sora-2", prompt: "a dog" });
    expect(orders.at(-1)).toMatchObject({ path: `/v1/videos/${own}/remix`, fields: { prompt: "a dog" } });
    const longer = await client.videos.extend({ prompt: "on", seconds: "12", video: { id: made.id } });
    expect(orders.at(-1)).toMatchObject({
      path: "/v1/videos/extensions",
      fields: { prompt: "on", seconds: "12", video: { id: own } },
    });
    const edited = await client.videos.edit({ prompt: "blue", video: { id: made.id } });
    expect(await fixture.spent()).toBe((8 + 8 + 12 + 8) * 50_000);

    const newest = await client.videos.list({ limit: 2 });
    expect(newest.data.map(({ id }) => id)).toEqual([edited.id, longer.id]);
    expect(newest.hasNextPage()).toBe(true);
    expect((await newest.getNextPage()).data.map(({ id }) => id)).toEqual([remix.id, made.id]);
    expect((await client.videos.list({ order: "asc", limit: 1 })).data[0]?.id).toBe(made.id);

    expect(await client.videos.delete(made.id)).toEqual({ id: made.id, object: "video.deleted", deleted: true });
    expect(videos.has(own)).toBe(false);
    expect(await refusal(client.videos.retrieve(made.id))).toMatchObject({ status: 404 });
    expect((await client.videos.list()).data.map(({ id }) => id)).not.toContain(made.id);
    // What it cost stays.
    expect(await fixture.spent()).toBe(36 * 50_000);
  });

  test("pays for size, and gets back all of a video that fails", async () => {
    const before = await fixture.spent();
    const made = await client.videos.create({ model: "sora-2-pro", prompt: "a cat", size: "1792x1024" });
    // Four seconds by default, at $0.50 each.
    expect((await fixture.spent()) - before).toBe(4 * 250_000);
    expect((await fixture.lastCharge()).receipt).toMatchObject({
      lines: [{ item: "per_second", quantity: "4", factor: "0.5" }],
      variant: "size=1024x1792|1792x1024",
    });
    await finish(lastUpstream(), { status: "failed", error: { code: "oops", message: "It broke." } });
    expect(await client.videos.retrieve(made.id)).toMatchObject({
      status: "failed",
      error: { code: "video_generation_failed", message: "It broke." },
    });
    await fixture.poll();
    expect(await fixture.spent()).toBe(before);
  });

  test("by JSON too; what goes on from a video stays with its key", async () => {
    for (let at = 0; at < 4; at += 1) {
      const answer = await fixture.relay.post("/v1/videos", {
        model: "sora-2-pro",
        prompt: "a cat",
        seconds: 4,
        input_reference: { image_url: "https://example.test/cat.png" },
      });
      expect(orders.at(-1)?.fields).toEqual({
        model: "sora-2-pro",
        prompt: "a cat",
        seconds: "4",
        input_reference: { image_url: "https://example.test/cat.png" },
      });
      await finish(lastUpstream(), { status: "completed" });
      const { id } = (await answer.json()) as { id: string };
      expect(await client.videos.remix(id, { prompt: "again" })).toMatchObject({ remixed_from_video_id: id });
    }
  });

  test("a form goes whole to the next channel where the first fails, and five at once are each charged once", async () => {
    const before = await fixture.spent();
    const image = () => toFile(new Uint8Array(200_000).fill(65), "cat.png", { type: "image/png" });
    const order = async () =>
      client.videos.create({ model: "sora-2-pro", prompt: "tired", seconds: "4", input_reference: await image() });
    const made = await Promise.all(Array.from({ length: 5 }, order));
    expect(new Set(made.map(({ id }) => id)).size).toBe(5);
    const last = orders.filter(({ fields }) => fields.prompt === "tired").at(-1);
    expect(last?.fields).toMatchObject({ model: "sora-2-pro", input_reference: "file cat.png" });
    expect((await fixture.spent()) - before).toBe(5 * 4 * 150_000);
  });

  test("refusals cost nothing: by the upstream, of an image's id, of a chat model, of an unfinished or unknown video", async () => {
    const before = await fixture.spent();
    expect(await refusal(client.videos.create({ prompt: "forbidden" }))).toMatchObject({ status: 400 });
    const byId = { prompt: "a cat", input_reference: { file_id: "file-1" } };
    expect(await refusal(client.videos.create(byId))).toMatchObject({ status: 400 });
    expect(await refusal(client.videos.create({ model: "gpt-4o", prompt: "a cat" }))).toMatchObject({
      code: "model_price_error",
    });
    expect(await refusal(client.videos.remix("video_0", { prompt: "x" }))).toMatchObject({ status: 404 });
    const open = await client.videos.create({ prompt: "a cat" });
    expect(await refusal(client.videos.remix(open.id, { prompt: "x" }))).toMatchObject({ status: 400 });
    expect(await refusal(client.videos.downloadContent(open.id))).toMatchObject({ status: 404 });
    expect((await fixture.spent()) - before).toBe(4 * 50_000);
  });
});
