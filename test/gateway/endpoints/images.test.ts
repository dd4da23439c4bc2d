import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start(channel: Partial<ChannelEntry>, model: string, answer: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: [model], ...channel }],
    options: { ModelPrice: `{"${model}": 0.04}`, RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

const sent = ({ received }: ReturnType<typeof startUpstream>, at = 0) => JSON.parse(received[at]?.text ?? "");

describe("Imagen", () => {
  const predictions = [
    { mimeType: "image/png", bytesBase64Encoded: "AAAA" },
    { mimeType: "image/png", bytesBase64Encoded: "BBBB" },
  ];

  test("through Gemini's API, for each image", async () => {
    const model = "imagen-4.0-generate-001";
    const { client, upstream, relay } = start({ type: 24 }, model, () => Response.json({ predictions }));
    const made = await client.images.generate({ model, prompt: "a gate", n: 2, size: "1536x1024" });
    expect(made.data?.map(({ b64_json }) => b64_json)).toEqual(["AAAA", "BBBB"]);
    expect(upstream.received[0]?.path).toBe(`/v1beta/models/${model}:predict`);
    expect(sent(upstream)).toEqual({
      instances: [{ prompt: "a gate" }],
      parameters: { sampleCount: 2, aspectRatio: "4:3" },
    });
    expect((await relay.billing.nextRecord()).quota).toBe(40_000);
  });

  test("on Vertex, and streamed to a client that wants it so", async () => {
    const model = "imagen-4.0-generate-001";
    const { client, upstream } = start({ type: 41, keys: ["express"] }, model, () => Response.json({ predictions }));
    const types: string[] = [];
    for await (const event of await client.images.generate({ model, prompt: "a gate", stream: true }))
      types.push(event.type);
    expect(types).toEqual(["image_generation.completed", "image_generation.completed"]);
    expect(upstream.received[0]?.path).toBe(`/v1/publishers/google/models/${model}:predict`);
  });

  test("an image that was filtered is an error, and free", async () => {
    const model = "imagen-4.0-generate-001";
    const { client, relay } = start({ type: 24 }, model, () =>
      Response.json({ predictions: [{ raiFilteredReason: "Not this." }] }),
    );
    const failure = await client.images.generate({ model, prompt: "x" }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 502, code: "content_policy_violation" });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
    expect(relay.billing.openHolds).toBe(0);
  });
});

test("the receipt of images shows the discount that is in their price", async () => {
  const upstream = startUpstream(() => Response.json({ created: 1, data: [{ b64_json: "AAAA" }] }));
  const discount = { group: "default", percent: 25, from: "2020-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["draws"] }],
    options: { ModelPrice: '{"draws": 0.04}', GroupDiscounts: JSON.stringify([discount]) },
  });
  stops.push(upstream.stop, relay.stop);
  await relay.post("/v1/images/generations", { model: "draws", prompt: "a gate", n: 2 });
  const { quota, other } = await relay.billing.nextRecord();
  expect([quota, other.receipt?.groupRatio, other.receipt?.discountPercent]).toEqual([30_000, "0.75", "25"]);
});

test("Gemini's image models draw as they chat, charged by their tokens", async () => {
  const model = "gemini-2.5-flash-image";
  const upstream = startUpstream(() =>
    Response.json({
      candidates: [{ content: { role: "model", parts: [{ text: "Here" }, { inlineData: { data: "AAAA" } }] } }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 },
    }),
  );
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: `{"${model}": 0.15}`, CompletionRatio: `{"${model}": 100}`, ModelPrice: "{}" },
  });
  stops.push(upstream.stop, relay.stop);
  const answer = await relay.post("/v1/images/generations", { model, prompt: "a gate" });
  expect(await answer.json()).toMatchObject({ data: [{ b64_json: "AAAA" }], usage: { output_tokens: 1_290 } });
  // (10 + 1,290 × 100) × 0.15
  expect((await relay.billing.nextRecord()).quota).toBe(19_352);
});

describe("DashScope", () => {
  test("a job is polled until it is over, and answered at once to the client", async () => {
    const model = "wan2.2-t2i-plus";
    const states = ["PENDING", "RUNNING", "SUCCEEDED"];
    const { client, upstream, relay } = start({ type: 17 }, model, ({ path }) => {
      const task_status = states.shift();
      const results = task_status === "SUCCEEDED" ? [{ url: "https://x.example/1.png" }] : undefined;
      return Response.json({ output: { task_id: "t1", task_status, results }, request_id: path });
    });
    const made = await client.images.generate({ model, prompt: "a gate", size: "1024x1024" });
    expect(made.data).toEqual([{ url: "https://x.example/1.png" }]);
    expect(upstream.received.map(({ path }) => path)).toEqual([
      "/api/v1/services/aigc/text2image/image-synthesis",
      "/api/v1/tasks/t1",
      "/api/v1/tasks/t1",
    ]);
    expect(upstream.received[0]?.headers.get("x-dashscope-async")).toBe("enable");
    expect(sent(upstream)).toEqual({ model, input: { prompt: "a gate" }, parameters: { n: 1, size: "1024*1024" } });
    expect((await relay.billing.nextRecord()).quota).toBe(20_000);
  });

  test("a job that fails is an error, and free", async () => {
    const model = "wan2.2-t2i-plus";
    const { client, relay } = start({ type: 17 }, model, ({ path }) =>
      Response.json({
        output: path.includes("/tasks/")
          ? { task_id: "t1", task_status: "FAILED", code: "DataInspectionFailed", message: "Not this." }
          : { task_id: "t1", task_status: "PENDING" },
      }),
    );
    const failure = await client.images.generate({ model, prompt: "x" }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 502, code: "DataInspectionFailed" });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });

  test("newer models answer at once", async () => {
    const model = "qwen-image";
    const { client, upstream } = start({ type: 17 }, model, () =>
      Response.json({ output: { choices: [{ message: { content: [{ image: "https://x.example/1.png" }] } }] } }),
    );
    expect((await client.images.generate({ model, prompt: "a gate" })).data).toEqual([
      { url: "https://x.example/1.png" },
    ]);
    expect(upstream.received[0]?.path).toBe("/api/v1/services/aigc/multimodal-generation/generation");
    expect(upstream.received[0]?.headers.has("x-dashscope-async")).toBe(false);
  });
});

describe("MiniMax", () => {
  const model = "image-01";

  test("draws under an address of its own", async () => {
    const { client, upstream, relay } = start({ type: 35 }, model, () =>
      Response.json({ data: { image_urls: ["https://x.example/1.png"] }, base_resp: { status_code: 0 } }),
    );
    expect((await client.images.generate({ model, prompt: "a gate" })).data).toEqual([
      { url: "https://x.example/1.png" },
    ]);
    expect(upstream.received[0]?.path).toBe("/v1/image_generation");
    expect((await relay.billing.nextRecord()).quota).toBe(20_000);
  });

  test("reports failures with status 200", async () => {
    const { relay } = start({ type: 35 }, model, () =>
      Response.json({ base_resp: { status_code: 1026, status_msg: "sensitive" } }),
    );
    const answer = await relay.post("/v1/images/generations", { model, prompt: "x" });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "1026" } });
  });
});

test.each([
  [26, "/api/paas/v4/images/generations"],
  [48, "/v1/images/generations"],
])("type %p takes OpenAI's order at %p", async (type, path) => {
  const order = { model: "draws", prompt: "a gate" };
  const { client, upstream } = start({ type }, "draws", () =>
    Response.json({ created: 1, data: [{ url: "https://x.example" }] }),
  );
  expect((await client.images.generate(order)).data).toHaveLength(1);
  expect(upstream.received[0]?.path).toBe(path);
  expect(sent(upstream)).toEqual(order);
});

describe("images among the tokens", () => {
  const png = () => new File([new Uint8Array([137, 80, 78, 71])], "cat.png", { type: "image/png" });
  const edit = async (model: string, usage: object, options: Partial<Record<OptionKey, string>> = {}) => {
    const upstream = startUpstream(() => Response.json({ created: 1, data: [{ b64_json: "AAAA" }], usage }));
    const relay = startRelay({ channels: [{ type: 1, baseUrl: upstream.url, models: [model] }], options });
    stops.push(upstream.stop, relay.stop);
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    await client.images.edit({ model, prompt: "a hat", image: png() });
    return relay.billing.nextRecord();
  };
  const USAGE = { input_tokens: 300, output_tokens: 1_000, total_tokens: 1_300 };
  const DETAILS = { input_tokens_details: { text_tokens: 100, image_tokens: 200 } };

  test("gpt-image-1: text in $5, images in $10, images out $40 a million", async () => {
    const { quota, other } = await edit("gpt-image-1", { ...USAGE, ...DETAILS });
    expect(quota).toBe((100 * 5 + 200 * 10 + 1_000 * 40) / 2);
    expect(other.receipt?.lines.map(({ item, quantity, factor }) => [item, quantity, factor])).toEqual([
      ["input", "100", "2.5"],
      ["image_input", "200", "5"],
      ["image_output", "1000", "20"],
    ]);
    expect(other).toMatchObject({ image_input: 200, image_output: 1_000, image_ratio: 2, image_completion_ratio: 4 });
  });

  test("gpt-image-1.5 answers text at a price of its own", async () => {
    const output = { output_tokens_details: { text_tokens: 100, image_tokens: 900 } };
    const { quota } = await edit("gpt-image-1.5", { ...USAGE, ...DETAILS, ...output });
    expect(quota).toBe((100 * 5 + 200 * 8 + 100 * 10 + 900 * 32) / 2);
  });

  test("without ratios of their own images cost what text costs", async () => {
    const options = { ModelRatio: '{"gpt-image-1": 2.5}', ImageRatio: "{}", ImageCompletionRatio: "{}" };
    const { quota, other } = await edit("gpt-image-1", { ...USAGE, ...DETAILS }, options);
    expect(quota).toBe((300 * 5 + 1_000 * 40) / 2);
    expect(other.receipt?.lines.map(({ item }) => item)).toEqual(["input", "output"]);
    expect(other.image_input).toBeUndefined();
  });

  test("those read from the cache have the price of what is cached, and nonsense adds nothing", async () => {
    const cached = { cached_tokens: 150, cached_tokens_details: { text_tokens: 0, image_tokens: 150 } };
    const usage = { ...USAGE, input_tokens_details: { ...DETAILS.input_tokens_details, ...cached } };
    // 150 × 0.625 + 100 × 2.5 + 50 × 5 + 1,000 × 20 = 20,593.75, rounded once.
    expect((await edit("gpt-image-1", usage)).quota).toBe(20_594);
    const nonsense = { input_tokens_details: { image_tokens: 9_999 }, output_tokens_details: { image_tokens: 9_999 } };
    expect((await edit("gpt-image-1", { ...USAGE, ...nonsense })).quota).toBe((300 * 10 + 1_000 * 40) / 2);
  });
});
