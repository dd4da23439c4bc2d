/** Embeddings of services with bodies of their own: what they receive, what clients read, and what is charged. */
import { afterEach, describe, expect, test } from "bun:test";
import { hasReference, referenceText } from "../../../support/formats/reference.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, model: string, answer: object | string, key = "key-of-a-test") {
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  const upstream = startUpstream(() => new Response(body, { headers: { "content-type": "application/json" } }));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys: [key] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  const embed = async (fields: object) => {
    const response = await relay.post("/v1/embeddings", { model, ...fields });
    return { status: response.status, body: await response.json() };
  };
  return {
    relay,
    embed,
    path: () => upstream.received[0]?.path,
    sent: () => JSON.parse(upstream.received[0]?.text ?? ""),
  };
}

describe("Perplexity", () => {
  const model = "pplx-embed-v1-0.6b";
  const bytes = Buffer.from(new Int8Array([1, -2, 127, -128]).buffer).toString("base64");
  const reply = (data: readonly string[], tokens: number) => ({
    object: "list",
    model,
    data: data.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });

  test("signed bytes become numbers, also for clients that ask for OpenAI's base64", async () => {
    const { relay, embed, path, sent } = start(1003, model, reply([bytes, bytes], 7));
    const { status, body } = await embed({ input: ["a", "b"], dimensions: 4, user: "u" });
    expect([status, path()]).toEqual([200, "/v1/embeddings"]);
    expect(body.data.map(({ embedding }: { embedding: number[] }) => embedding)).toEqual(
      Array(2).fill([1, -2, 127, -128]),
    );
    expect(body).toMatchObject({ usage: { prompt_tokens: 7 } });
    expect(sent()).toEqual({ model, input: ["a", "b"], dimensions: 4 });
    const encoded = (await embed({ input: "a", encoding_format: "base64" })).body.data[0].embedding;
    const floats = new Float32Array(new Uint8Array(Buffer.from(encoded, "base64")).buffer);
    expect([...floats]).toEqual([1, -2, 127, -128]);
    expect(relay.billing.records).toMatchObject(Array(2).fill({ promptTokens: 7, completionTokens: 0 }));
  });

  test("a format of its own is passed on, and its answer stays", async () => {
    const { embed, sent } = start(1003, model, reply([bytes], 3));
    const { body } = await embed({ input: "a", encoding_format: "base64_int8" });
    expect([body.data[0].embedding, sent().encoding_format]).toEqual([bytes, "base64_int8"]);
  });

  const file = "recorded/perplexity/embed.1.json";
  test.skipIf(!hasReference(file))("recorded", async () => {
    const { response, request } = JSON.parse(referenceText(file));
    const { relay, embed } = start(1003, model, response);
    const { body } = await embed(request);
    expect(body.data).toHaveLength(3);
    expect(body.data[0].embedding).toHaveLength(256);
    expect(relay.billing.records).toMatchObject([{ promptTokens: JSON.parse(response).usage.prompt_tokens }]);
  });
});

describe("Doubao's models that see", () => {
  const model = "doubao-embedding-vision-250615";
  const reply = {
    object: "list",
    data: { object: "embedding", embedding: [0.25, -0.5] },
    usage: { prompt_tokens: 40, total_tokens: 40, prompt_tokens_details: { image_tokens: 30, text_tokens: 10 } },
  };

  test("embed one content at an address of their own", async () => {
    const { relay, embed, path, sent } = start(45, model, reply);
    const { body } = await embed({ input: "rain", dimensions: 1024 });
    expect(path()).toBe("/api/v3/embeddings/multimodal");
    expect(sent()).toEqual({
      model,
      input: [{ type: "text", text: "rain" }],
      encoding_format: "float",
      dimensions: 1024,
    });
    expect(body.data).toMatchObject([{ index: 0, embedding: [0.25, -0.5] }]);
    expect(relay.billing.records).toMatchObject([{ promptTokens: 40 }]);
    expect((await embed({ input: ["a", "b"] })).status).toBe(400);
  });

  test("embed images of Google's clients", async () => {
    const { relay, sent } = start(45, model, reply);
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const answer = await relay.post(`/v1beta/models/${model}:embedContent`, {
      content: { parts: [{ text: "rain" }, image] },
    });
    expect(await answer.json()).toMatchObject({ embedding: { values: [0.25, -0.5] } });
    expect(sent().input).toEqual([
      { type: "text", text: "rain" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ]);
  });

  test("others of Doubao stay where they are", async () => {
    const { embed, path } = start(45, "doubao-embedding-large", {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [1] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
    await embed({ input: ["a"] });
    expect(path()).toBe("/api/v3/embeddings");
  });
});

describe("AWS Bedrock", () => {
  const key = "AKID|secret|us-east-1";

  test("Titan", async () => {
    const model = "amazon.titan-embed-text-v2:0";
    const { relay, embed, path, sent } = start(1007, model, { embedding: [0.1, 0.2], inputTextTokenCount: 5 }, key);
    const { body } = await embed({ input: "rain", dimensions: 256 });
    expect(decodeURIComponent(path() ?? "")).toBe(`/model/${model}/invoke`);
    expect(sent()).toEqual({ inputText: "rain", dimensions: 256 });
    expect(body.data).toMatchObject([{ index: 0, embedding: [0.1, 0.2] }]);
    expect(relay.billing.records).toMatchObject([{ promptTokens: 5 }]);
    expect((await embed({ input: ["a", "b"] })).status).toBe(400);
  });

  test("Cohere, several texts at once", async () => {
    const model = "us.cohere.embed-v4:0";
    const { relay, embed, sent } = start(1007, model, { id: "1", embeddings: { float: [[1], [2]] } }, key);
    const { body } = await embed({ input: ["a", "b"], input_type: "search_query" });
    expect(sent()).toEqual({ input_type: "search_query", texts: ["a", "b"], embedding_types: ["float"] });
    expect(body.data).toMatchObject([{ embedding: [1] }, { embedding: [2] }]);
    expect(relay.billing.records[0]?.promptTokens).toBeGreaterThan(0);
  });

  test("Nova", async () => {
    const model = "amazon.nova-2-multimodal-embeddings-v1:0";
    const reply = { embeddings: [{ embeddingType: "TEXT", embedding: [3, 4] }] };
    const { embed, sent } = start(1007, model, reply, key);
    const { body } = await embed({ input: "rain", dimensions: 384, task_type: "RETRIEVAL_QUERY" });
    expect(sent()).toEqual({
      schemaVersion: "nova-multimodal-embed-v1",
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: {
        embeddingPurpose: "GENERIC_RETRIEVAL",
        embeddingDimension: 384,
        text: { truncationMode: "END", value: "rain" },
      },
    });
    expect(body.data).toMatchObject([{ embedding: [3, 4] }]);
  });
});
