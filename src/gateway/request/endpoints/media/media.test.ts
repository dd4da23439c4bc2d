import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startRelay } from "../../../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../../../test/support/gateway/start-upstream.ts";
import { wav } from "../../../../../test/support/lib/wav.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODELS = ["m", "dall-e-3", "gpt-image-1", "tts-1", "whisper-1", "rerank-x", "ratio-image"];

function start(answer: Parameters<typeof startUpstream>[0], options: Record<string, string> = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [
      { baseUrl: upstream.url, models: MODELS, groups: ["default"], modelMapping: new Map([["m", "upstream-m"]]) },
    ],
    options: {
      ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))),
      ModelPrice: '{"dall-e-3": 0.04}',
      ...options,
    },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

const file = (bytes: Uint8Array<ArrayBuffer>, name: string) => new File([bytes], name);
test("moderations: by the tokens of the input", async () => {
  const { client, relay } = start(() => Response.json({ id: "modr-1", model: "m", results: [{ flagged: false }] }));
  const answer = await client.moderations.create({ model: "m", input: "some words to look at" });
  expect(answer.results[0]?.flagged).toBe(false);
  expect(relay.billing.records[0]?.promptTokens).toBeGreaterThan(3);
});

describe("rerank", () => {
  const ask = { model: "rerank-x", query: "gate", documents: ["a sluice", { text: "a boat" }] };
  const results = [{ index: 0, relevance_score: 0.9 }];

  test.each([
    ["Jina's usage", { usage: { total_tokens: 42 } }, 42],
    ["Cohere's billed units", { meta: { billed_units: { input_tokens: 17, search_units: 1 } } }, 17],
    ["SiliconFlow's meta", { meta: { tokens: { input_tokens: 31, output_tokens: 0 } } }, 31],
  ])("by %s", async (_name, extra, tokens) => {
    const { relay } = start(() => Response.json({ results, ...extra }));
    for (const path of ["/v1/rerank", "/v2/rerank"]) expect((await relay.post(path, ask)).status).toBe(200);
    expect(relay.billing.records.map(({ promptTokens }) => promptTokens)).toEqual([tokens, tokens]);
  });

  test("by the words themselves if no usage is reported", async () => {
    const { relay } = start(() => Response.json({ results }));
    await relay.post("/v1/rerank", ask);
    expect(relay.billing.records[0]?.promptTokens).toBeGreaterThan(4);
  });

  test("returns documents on request", async () => {
    const { relay } = start(() => Response.json({}));
    expect((await relay.post("/v1/rerank", { ...ask, documents: [] })).status).toBe(400);
  });
});

describe("images", () => {
  const drawn = () => Response.json({ created: 1, data: [{ url: "https://x.example/1.png" }] });

  test.each([
    [{ model: "dall-e-3", n: 1 }, 20_000],
    [{ model: "dall-e-3", size: "1792x1024", n: 1 }, 40_000],
    [{ model: "dall-e-3", quality: "hd", n: 1 }, 40_000],
    [{ model: "dall-e-3", quality: "hd", size: "1024x1792", n: 2 }, 120_000],
    [{ model: "ratio-image", size: "512x512", n: 2 }, 1_125],
  ] as const)("%p cost %p units", async (order, quota) => {
    const { relay } = start(drawn);
    const answer = await relay.post("/v1/images/generations", { prompt: "a gate", ...order });
    expect(answer.status).toBe(200);
    expect(relay.billing.records[0]).toMatchObject({ quota, promptTokens: order.n });
  });

  test("by tokens if the model reports them", async () => {
    const usage = { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 };
    const { client, relay } = start(() => Response.json({ created: 1, data: [{ b64_json: "AA==" }], usage }));
    await client.images.generate({ model: "gpt-image-1", prompt: "a gate" });
    expect(relay.billing.records[0]).toMatchObject({ promptTokens: 10, completionTokens: 1_000 });
  });

  test("edits go as a form, the model by its upstream name", async () => {
    const { client, upstream } = start(drawn);
    await client.images.edit({ model: "m", prompt: "wider", image: file(new Uint8Array([1, 2, 3]), "gate.png") });
    expect(upstream.received[0]?.text).toContain("upstream-m");
    expect(upstream.received[0]?.text).toContain('filename="gate.png"');
  });
});

test("speech arrives as bytes and costs its characters", async () => {
  const speech = new Uint8Array([0xff, 0xfb, 1, 2, 3]);
  const { client, relay } = start(() => new Response(speech, { headers: { "content-type": "audio/mpeg" } }));
  const answer = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Wörter" });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(speech);
  expect(answer.headers.get("content-type")).toBe("audio/mpeg");
  expect(relay.billing.records[0]).toMatchObject({ promptTokens: 6 });
});

describe("streams", () => {
  const events = (...list: readonly Record<string, unknown>[]) =>
    new Response(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });

  test("partial images arrive while they are generated; charged by the tokens of the last event", async () => {
    const usage = { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 };
    const { client, relay, upstream } = start(() =>
      events(
        { type: "image_generation.partial_image", partial_image_index: 0, b64_json: "AA==" },
        { type: "image_generation.completed", b64_json: "AAAA", usage },
      ),
    );
    const stream = await client.images.generate({
      model: "gpt-image-1",
      prompt: "a gate",
      stream: true,
      partial_images: 1,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["image_generation.partial_image", "image_generation.completed"]);
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({
      model: "gpt-image-1",
      prompt: "a gate",
      stream: true,
      partial_images: 1,
    });
    // 10 + 1,000 × 8
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 10, completionTokens: 1_000, quota: 8_010 });
  });

  test("an image of an upstream that does not stream arrives as the last event", async () => {
    const usage = { input_tokens: 10, output_tokens: 90, total_tokens: 100 };
    const { client, relay } = start(() => Response.json({ created: 1, data: [{ b64_json: "AAAA" }], usage }));
    const stream = await client.images.generate({ model: "gpt-image-1", prompt: "a gate", stream: true });
    const got: unknown[] = [];
    for await (const event of stream) got.push(event);
    expect(got).toEqual([{ type: "image_generation.completed", b64_json: "AAAA", usage }]);
    expect((await relay.billing.nextRecord()).quota).toBe(730);
  });

  test("a broken stream ends with an error", async () => {
    const { relay } = start(() => events({ type: "image_generation.partial_image" }));
    const answer = await relay.post("/v1/images/generations", { model: "gpt-image-1", prompt: "a gate", stream: true });
    expect(await answer.text()).toContain("stream_broken");
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true });
  });

  test("a transcript, charged by its tokens", async () => {
    const usage = { type: "tokens", input_tokens: 14, output_tokens: 6, total_tokens: 20 };
    const { client, relay } = start(() =>
      events({ type: "transcript.text.delta", delta: "hi" }, { type: "transcript.text.done", text: "hi", usage }),
    );
    const stream = await client.audio.transcriptions.create({
      model: "whisper-1",
      file: file(wav(30), "a.wav"),
      stream: true,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["transcript.text.delta", "transcript.text.done"]);
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 14, completionTokens: 6, quota: 20 });
  });

  test("speech as events, charged by the tokens of the last one", async () => {
    const usage = { input_tokens: 5, output_tokens: 50, total_tokens: 55 };
    const { relay } = start(() =>
      events({ type: "speech.audio.delta", audio: "AA==" }, { type: "speech.audio.done", usage }),
    );
    const answer = await relay.post("/v1/audio/speech", {
      model: "m",
      voice: "alloy",
      input: "hi",
      stream_format: "sse",
    });
    expect(await answer.text()).toContain("speech.audio.done");
    expect((await relay.billing.nextRecord()).quota).toBe(55);
  });
});

describe("transcriptions", () => {
  test.each([
    ["by the reported duration", { text: "hi", usage: { type: "duration", seconds: 90 } }, 1_500],
    ["by the file's own length", { text: "hi" }, 500],
    ["by tokens", { text: "hi", usage: { type: "tokens", input_tokens: 14, output_tokens: 45, total_tokens: 59 } }, 14],
  ])("%s", async (_name, answer, tokens) => {
    const { client, relay, upstream } = start(() => Response.json(answer));
    const made = await client.audio.transcriptions.create({
      model: "whisper-1",
      file: file(wav(30), "a.wav"),
      language: "en",
    });
    expect(made.text).toBe("hi");
    expect(upstream.received[0]?.path).toBe("/v1/audio/transcriptions");
    expect(upstream.received[0]?.text).toContain('name="language"');
    expect(relay.billing.records[0]?.promptTokens).toBe(tokens);
  });

  test("plain text passes through unchanged", async () => {
    const { client } = start(() => new Response("hello there", { headers: { "content-type": "text/plain" } }));
    const made = await client.audio.translations.create({
      model: "whisper-1",
      file: file(wav(1), "a.wav"),
      response_format: "text",
    });
    expect(String(made)).toContain("hello there");
  });
});
