/** Videos of xAI, by the documented requests: ordered, followed, charged by the second and resolution, refunded. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { DEFAULT_VIDEO_PRICE } from "../../../src/billing/pricing/ratios/default-ratios.ts";
import { shippedRatios } from "../../../src/domain/models/pricing.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

type Json = Record<string, unknown>;

const MODEL = "grok-imagine-video";
const PRICES = shippedRatios(MODEL);
const orders: Json[] = [];
/** How videos stand, by their ids. */
const states = new Map<string, Json>();

const upstream = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Bearer xai-key") return new Response("", { status: 401 });
  const [, id] = /^\/v1\/videos\/(request-\d+)$/.exec(path) ?? [];
  if (id) return Response.json(states.get(id) ?? {}, { status: states.has(id) ? 200 : 404 });
  if (path !== "/v1/videos/generations") return new Response("", { status: 404 });
  const body = JSON.parse(text) as Json;
  orders.push(body);
  if (body.prompt === "forbidden")
    return Response.json({ code: "invalid", error: "It was moderated." }, { status: 400 });
  const requestId = `request-${states.size}`;
  states.set(requestId, { status: "pending", progress: 40 });
  return Response.json({ request_id: requestId });
});

let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  fixture = await startTasks({
    channels: [{ type: 48, baseUrl: upstream.url, keys: ["xai-key"], models: [MODEL] }],
    options: {
      ModelPrice: JSON.stringify({ [MODEL]: PRICES.ModelPrice }),
      VideoPrice: JSON.stringify({ ...DEFAULT_VIDEO_PRICE, [MODEL]: PRICES.VideoPrice }),
    },
  });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
});

const order = async (body: object) => {
  const before = await fixture.spent();
  const answer = await fixture.relay.post("/v1/videos", { model: MODEL, prompt: "a cat", ...body });
  const read = (await answer.json()) as Json & { id: string };
  return { status: answer.status, body: read, dollars: ((await fixture.spent()) - before) / 500_000 };
};
const video = async (id: string) => (await (await fixture.relay.get(`/v1/videos/${id}`)).json()) as Json;
const newest = () => [...states.keys()].at(-1) ?? "";

test("a video is ordered, followed and shown", async () => {
  const { body, dollars } = await order({ seconds: 4 });
  expect(orders.at(-1)).toEqual({ model: MODEL, prompt: "a cat", duration: 4, resolution: "480p" });
  expect(dollars).toBeCloseTo(4 * 0.05, 6);
  await fixture.poll();
  expect(await video(body.id)).toMatchObject({ status: "in_progress", progress: 40 });
  states.set(newest(), { status: "done", model: MODEL, video: { url: "https://vidgen.test/cat.mp4", duration: 4 } });
  await fixture.poll();
  expect(await video(body.id)).toMatchObject({ status: "completed" });
  const content = await fetch(`${fixture.relay.url}/v1/videos/${body.id}/content`, {
    headers: { authorization: "Bearer sk-test" },
    redirect: "manual",
  });
  expect([content.status, content.headers.get("location")]).toEqual([302, "https://vidgen.test/cat.mp4"]);
});

test.each([
  [{ size: "1280x720" }, { duration: 8, aspect_ratio: "16:9", resolution: "720p" }, 8 * 0.07],
  [{ resolution: "720p", seconds: 2 }, { duration: 2, resolution: "720p" }, 2 * 0.07],
  [{ seconds: 1, images: ["https://x.test/a.png"] }, { image: { url: "https://x.test/a.png" } }, 0.05],
  [
    { seconds: 1, images: ["https://x.test/a.png", "https://x.test/b.png"] },
    { reference_images: [{ url: "https://x.test/a.png" }, { url: "https://x.test/b.png" }] },
    0.05,
  ],
])("%j is ordered as %j for %p dollars", async (fields, sent, dollars) => {
  const ordered = await order(fields);
  expect(ordered.status).toBe(200);
  expect(orders.at(-1)).toMatchObject(sent);
  expect(ordered.dollars).toBeCloseTo(dollars, 6);
});

test("what is refused, or fails later, costs nothing", async () => {
  const before = await fixture.spent();
  expect(await order({ prompt: "forbidden" })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("It was moderated") } },
    dollars: 0,
  });
  const { body } = await order({ seconds: 3 });
  states.set(newest(), { status: "failed", error: { code: "internal", message: "No frames." } });
  await fixture.poll();
  expect(await video(body.id)).toMatchObject({ status: "failed", error: { message: "No frames." } });
  expect(await fixture.spent()).toBe(before);
});
