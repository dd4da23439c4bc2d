/** Contents with media at Cohere, Voyage AI and Vertex AI: the documented requests, and what each costs at list prices. */
import { afterEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const VALUES = [0.5, -0.25];
const PNG = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
const PNG_URI = "data:image/png;base64,iVBORw0KGgo=";
const MP4 = { fileData: { mimeType: "video/mp4", fileUri: "gs://films/gate.mp4" } };
const unitsOf = (dollars: number) => Math.round(dollars * 500_000);

type Body = Record<string, unknown>;

/** An upstream of one model: `answer` reads the body of a request, as the service would. */
function start(type: number, model: string, path: string, answer: (body: Body) => object) {
  const upstream = startUpstream(({ path: requested, text, headers }) => {
    const isKnown = headers.get("authorization") === "Bearer key" || headers.get("x-goog-api-key") === "key";
    if (!isKnown) return Response.json({ message: "no such key" }, { status: 401 });
    if (requested !== path) return Response.json({ message: `no such page: ${requested}` }, { status: 404 });
    return Response.json(answer(recordOf(parseJson(text)) ?? {}));
  });
  const channel = { type, baseUrl: upstream.url, keys: ["key"], models: [model] };
  const relay = startRelay({ channels: [channel], options: { RetryTimes: "0" } });
  stops.push(upstream.stop, relay.stop);
  const google = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
  return {
    relay,
    sent: () => parseJson(upstream.received.at(-1)?.text ?? ""),
    calls: () => upstream.received.length,
    embed: (contents: object[], config = {}) => google.models.embedContent({ model, contents, config }),
    openai: new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 }),
  };
}

const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: { status?: number }) => error.status,
  );

describe("Cohere", () => {
  /** As /v2/embed answers; `billed` are the units of each input. */
  const cohere = (model: string, billed: (body: Body) => object) =>
    start(34, model, "/v2/embed", (body) => {
      const inputs = [body.texts, body.images, body.inputs].flatMap((list) => (Array.isArray(list) ? list : []));
      const meta = { api_version: { version: "2" }, billed_units: billed(body) };
      return { id: "e", embeddings: { float: inputs.map(() => VALUES) }, meta, response_type: "embeddings_by_type" };
    });

  test("embeds texts with images, whose tokens have a price of their own", async () => {
    const { relay, embed, sent } = cohere("embed-v4.0", () => ({
      input_tokens: 1_000,
      image_tokens: 3_000,
      images: 1,
    }));
    const contents = [{ parts: [{ text: "a lock" }, PNG] }, { parts: [{ text: "a boat" }] }];
    const { embeddings } = await embed(contents, { taskType: "RETRIEVAL_QUERY", outputDimensionality: 256 });
    expect(embeddings).toEqual([{ values: VALUES }, { values: VALUES }]);
    const image = { type: "image_url", image_url: { url: PNG_URI } };
    expect(sent()).toEqual({
      model: "embed-v4.0",
      input_type: "search_query",
      inputs: [{ content: [{ type: "text", text: "a lock" }, image] }, { content: [{ type: "text", text: "a boat" }] }],
      embedding_types: ["float"],
      output_dimension: 256,
    });
    const { quota, promptTokens } = await relay.billing.nextRecord();
    expect([promptTokens, quota]).toEqual([4_000, unitsOf((1_000 * 0.12 + 3_000 * 0.47) / 1e6)]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("embeds images alone with version 3, which bills them by number and reports no tokens", async () => {
    const { relay, embed, sent } = cohere("embed-multilingual-v3.0", () => ({ images: 2 }));
    await embed([{ parts: [PNG] }, { parts: [PNG] }]);
    const request = { model: "embed-multilingual-v3.0", input_type: "image", embedding_types: ["float"] };
    expect(sent()).toEqual({ ...request, images: [PNG_URI, PNG_URI] });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(2 * 0.0001));
  });

  test("embeds for OpenAI's client, in the form that it asks for", async () => {
    const { relay, openai, sent } = cohere("embed-v4.0", ({ texts }) => ({
      input_tokens: 100 * Number(recordsOf(texts).length || 2),
    }));
    const made = await openai.embeddings.create({ model: "embed-v4.0", input: ["a", "b"], dimensions: 512 });
    expect(made.data.map(({ embedding }) => embedding)).toEqual([VALUES, VALUES]);
    expect(made.usage).toEqual({ prompt_tokens: 200, total_tokens: 200 });
    expect(sent()).toMatchObject({ texts: ["a", "b"], input_type: "search_document", output_dimension: 512 });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf((200 * 0.12) / 1e6));
  });

  test("refuses token ids and images by their address before it calls the service", async () => {
    const { relay, openai, embed, calls } = cohere("embed-v4.0", () => ({}));
    expect(await statusOf(openai.embeddings.create({ model: "embed-v4.0", input: [[1, 2]] }))).toBe(400);
    const stored = { fileData: { mimeType: "image/png", fileUri: "https://files.example/a.png" } };
    expect(await statusOf(embed([{ parts: [stored] }]))).toBe(400);
    expect([calls(), relay.billing.openHolds]).toEqual([0, 0]);
  });
});

describe("Voyage AI", () => {
  const voyage = (usage: object) =>
    start(1016, "voyage-multimodal-3.5", "/v1/multimodalembeddings", ({ inputs }) => ({
      object: "list",
      data: recordsOf(inputs).map((_, index) => ({ object: "embedding", index, embedding: VALUES })),
      model: "voyage-multimodal-3.5",
      usage,
    }));

  test("bills text by the token, images and videos by the pixel", async () => {
    const usage = { text_tokens: 1_000, image_pixels: 2_000_000, video_pixels: 1_000_000, total_tokens: 6_357 };
    const { relay, embed, sent } = voyage(usage);
    const video = { inlineData: { mimeType: "video/mp4", data: "AAAA" } };
    const { embeddings } = await embed([{ parts: [{ text: "a lock" }, PNG] }, { parts: [video] }], {
      taskType: "RETRIEVAL_DOCUMENT",
    });
    expect(embeddings).toHaveLength(2);
    expect(sent()).toEqual({
      model: "voyage-multimodal-3.5",
      input_type: "document",
      inputs: [
        {
          content: [
            { type: "text", text: "a lock" },
            { type: "image_base64", image_base64: PNG_URI },
          ],
        },
        { content: [{ type: "video_base64", video_base64: "data:video/mp4;base64,AAAA" }] },
      ],
    });
    const record = await relay.billing.nextRecord();
    expect(record.quota).toBe(unitsOf(1_000 * 0.12e-6 + 3_000_000 * 0.6e-9));
    expect(record.other.receipt?.lines).toContainEqual({
      item: "embedded_pixel",
      quantity: "3000000",
      factor: "0.0000000006",
      amount: "900",
    });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("bills an image without any text, and shows the client what", async () => {
    const { relay } = voyage({ text_tokens: 0, image_pixels: 50_000, total_tokens: 89 });
    const path = "/v1beta/models/voyage-multimodal-3.5:embedContent";
    const response = await relay.post(path, { content: { parts: [PNG] } });
    expect(await response.json()).toEqual({ embedding: { values: VALUES }, usageMetadata: { promptTokenCount: 0 } });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(50_000 * 0.6e-9));
  });

  test("embeds texts for OpenAI's client, whose usage has one number", async () => {
    const { relay, openai, sent } = start(1016, "voyage-4-large", "/v1/embeddings", () => ({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: VALUES }],
      usage: { total_tokens: 50_000 },
    }));
    const made = await openai.embeddings.create({ model: "voyage-4-large", input: "a", dimensions: 256 });
    expect([made.data[0]?.embedding, made.usage.prompt_tokens]).toEqual([VALUES, 50_000]);
    expect(sent()).toEqual({ model: "voyage-4-large", input: ["a"], output_dimension: 256 });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.006));
  });
});

describe("Vertex AI", () => {
  const MULTIMODAL = "multimodalembedding@001";
  /** Answers each instance with a vector of what it holds; a video is 21 seconds long. */
  const vertex = () =>
    start(41, MULTIMODAL, `/v1/publishers/google/models/${MULTIMODAL}:predict`, ({ instances }) => ({
      predictions: recordsOf(instances).map(({ text, image, video }) => ({
        ...(text !== undefined && { textEmbedding: VALUES }),
        ...(image !== undefined && { imageEmbedding: VALUES }),
        ...(video !== undefined && {
          videoEmbeddings: [{ startOffsetSec: 0, endOffsetSec: 21, embedding: VALUES }],
        }),
      })),
    }));

  test("embeds a text, an image and a video, each billed in its unit", async () => {
    const { relay, embed, sent } = vertex();
    const { embeddings } = await embed([{ parts: [{ text: "a lock 🔒" }] }, { parts: [PNG] }, { parts: [MP4] }], {
      outputDimensionality: 512,
    });
    expect(embeddings).toEqual(Array(3).fill({ values: VALUES }));
    const videoSegmentConfig = { startOffsetSec: 0, endOffsetSec: 120, intervalSec: 120 };
    expect(sent()).toEqual({
      instances: [
        { text: "a lock 🔒" },
        { image: { bytesBase64Encoded: PNG.inlineData.data, mimeType: "image/png" } },
        { video: { gcsUri: "gs://films/gate.mp4", videoSegmentConfig } },
      ],
      parameters: { dimension: 512 },
    });
    const { quota, promptTokens } = await relay.billing.nextRecord();
    expect([promptTokens, quota]).toEqual([8, unitsOf(8 * 0.2e-6 + 0.0001 + 21 * 0.0005)]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("refuses what has no single vector, and media at a text model, before it calls the service", async () => {
    const { embed, calls } = vertex();
    expect(await statusOf(embed([{ parts: [{ text: "a" }, PNG] }]))).toBe(400);
    const audio = { inlineData: { mimeType: "audio/wav", data: "AAAA" } };
    expect(await statusOf(embed([{ parts: [audio] }]))).toBe(400);
    const text = start(41, "text-embedding-004", "/none", () => ({}));
    expect(await statusOf(text.embed([{ parts: [PNG] }]))).toBe(400);
    expect([calls(), text.calls()]).toEqual([0, 0]);
  });

  test("embeds any content with Gemini's second model, one a call", async () => {
    const model = "gemini-embedding-2";
    const path = `/v1/publishers/google/models/${model}:embedContent`;
    const { relay, embed, sent } = start(41, model, path, () => ({
      embedding: { values: VALUES },
      usageMetadata: { promptTokenCount: 300 },
    }));
    const content = { parts: [{ text: "a lock" }, PNG] };
    expect((await embed([content], { taskType: "CLUSTERING" })).embeddings).toEqual([{ values: VALUES }]);
    expect(sent()).toEqual({ content, embedContentConfig: { taskType: "CLUSTERING" } });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(300 * 0.2e-6));
    expect(await statusOf(embed([content, content]))).toBe(400);
  });
});
