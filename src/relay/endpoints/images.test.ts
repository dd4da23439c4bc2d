import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChannelEntry } from "../../channels/entry.ts";
import { startRelay } from "../testing/start-relay.ts";
import { startUpstream } from "../testing/start-upstream.ts";

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

  test("through Gemini's API, for each picture", async () => {
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

  test("a picture that was filtered is an error, and free", async () => {
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

test("Gemini's picture models draw as they chat, charged by their tokens", async () => {
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
  test("a job is asked for until it is over, and answered at once to the client", async () => {
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

  test("tells failures with status 200", async () => {
    const { relay } = start({ type: 35 }, model, () =>
      Response.json({ base_resp: { status_code: 1026, status_msg: "sensitive" } }),
    );
    const answer = await relay.post("/v1/images/generations", { model, prompt: "x" });
    expect(answer.status).toBe(502);
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
