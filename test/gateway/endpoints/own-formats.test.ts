/** Calls other than chats for providers that have a format of their own for them: Cloudflare's Workers AI, embeddings of Tencent and Google. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { tencentObjection } from "../../contracts/providers/fakes/tencent.ts";
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
    options: { ModelRatio: `{"${model}": 2}`, RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const sent = () => JSON.parse(upstream.received.at(-1)?.text ?? "");
  return { upstream, relay, client, sent };
}

/** Workers AI of the account “acc”: the native address of the one model, with the key. */
const workers = (model: string, result: object | (() => Response)) =>
  start({ type: 39, other: "acc", keys: ["token"] }, model, ({ path, headers }) => {
    const refused = (message: string, status: number) =>
      Response.json({ result: null, success: false, errors: [{ code: 10_000, message }], messages: [] }, { status });
    if (headers.get("authorization") !== "Bearer token") return refused("Authentication error", 401);
    if (path !== `/client/v4/accounts/acc/ai/run/${model}`) return refused(`No route for ${path}`, 400);
    return typeof result === "function" ? result() : Response.json({ result, success: true, errors: [], messages: [] });
  });
const file = () => new File(["RIFFsound"], "a.wav", { type: "audio/wav" });

describe("Cloudflare's Workers AI", () => {
  test("returns images as JSON", async () => {
    const model = "@cf/black-forest-labs/flux-1-schnell";
    const { client, sent } = workers(model, { image: "AAAA" });
    const { data, response } = await client.images
      .generate({ model, prompt: "a gate", size: "1024x1024", n: 2 })
      .withResponse();
    expect(data.data).toEqual([{ b64_json: "AAAA" }]);
    expect(sent()).toEqual({ prompt: "a gate" });
    expect(response.headers.get("x-sluice-dropped")?.split(/, ?/).toSorted()).toEqual(["n", "size"]);
  });

  test("returns images as bytes", async () => {
    const model = "@cf/stabilityai/stable-diffusion-xl-base-1.0";
    const imageResponse = () => new Response(Buffer.from("PNG"), { headers: { "content-type": "image/png" } });
    const { client, sent } = workers(model, imageResponse);
    const made = await client.images.generate({ model, prompt: "a gate", size: "1024x768" as "1024x1024" });
    expect(made.data?.map(({ b64_json }) => atob(b64_json ?? ""))).toEqual(["PNG"]);
    expect(sent()).toEqual({ prompt: "a gate", width: 1024, height: 768 });
  });

  test("ranks documents, and gives them back where they are wanted", async () => {
    const model = "@cf/baai/bge-reranker-base";
    const { relay, sent } = workers(model, {
      response: [
        { id: 1, score: 0.9 },
        { id: 0, score: 0.1 },
      ],
    });
    const documents = ["sun", { text: "rain" }];
    const answer = await relay.post("/v1/rerank", {
      model,
      query: "wet?",
      documents,
      top_n: 2,
      return_documents: true,
    });
    expect(await answer.json()).toMatchObject({
      results: [
        { index: 1, relevance_score: 0.9, document: { text: "rain" } },
        { index: 0, relevance_score: 0.1, document: { text: "sun" } },
      ],
    });
    expect(sent()).toEqual({ query: "wet?", contexts: [{ text: "sun" }, { text: "rain" }], top_k: 2 });
    expect((await relay.billing.nextRecord()).quota).toBeGreaterThan(0);
  });

  const transcript = {
    text: "It rains.",
    vtt: "WEBVTT\n\n00:00.000 --> 00:01.500\nIt\n\n00:01.500 --> 01:00:02.000 align:start\nrains.\n",
    segments: [{ start: 0, end: 2, text: "It rains." }],
    transcription_info: { language: "en", duration: 90 },
  };
  const turbo = "@cf/openai/whisper-large-v3-turbo";

  test("transcribes, charged by the length that it reports", async () => {
    const { client, relay, sent } = workers(turbo, transcript);
    const made = await client.audio.transcriptions.create({
      model: turbo,
      file: file(),
      language: "en",
      prompt: "Weather",
    });
    expect(made.text).toBe("It rains.");
    const audio = Buffer.from("RIFFsound").toString("base64");
    expect(sent()).toEqual({ audio, task: "transcribe", language: "en", initial_prompt: "Weather" });
    const transcription = await client.audio.transcriptions.create({
      model: turbo,
      file: file(),
      response_format: "verbose_json",
    });
    expect(transcription).toMatchObject({
      text: "It rains.",
      duration: 90,
      language: "en",
      segments: transcript.segments,
    });
    // A minute and a half are 1,500 tokens.
    expect((await relay.billing.nextRecord(2)).promptTokens).toBe(1_500);
  });

  test.each([
    ["text", "It rains.\n"],
    ["vtt", transcript.vtt],
    ["srt", "1\n00:00:00,000 --> 00:00:01,500\nIt\n\n2\n00:00:01,500 --> 01:00:02,000\nrains.\n"],
  ] as const)("returns a transcript as %s", async (format, expected) => {
    const { client } = workers(turbo, transcript);
    const made = await client.audio.transcriptions.create({ model: turbo, file: file(), response_format: format });
    expect(String(made)).toBe(expected);
  });

  test("translates; the older models take bytes as numbers", async () => {
    const newer = workers(turbo, transcript);
    expect((await newer.client.audio.translations.create({ model: turbo, file: file() })).text).toBe("It rains.");
    expect(newer.sent()).toMatchObject({ task: "translate" });
    const model = "@cf/openai/whisper";
    const older = workers(model, { text: "It rains." });
    expect((await older.client.audio.transcriptions.create({ model, file: file() })).text).toBe("It rains.");
    expect(older.sent()).toEqual({ audio: [...Buffer.from("RIFFsound")] });
  });

  test("speaks, inside JSON or as bytes", async () => {
    const melo = "@cf/myshell-ai/melotts";
    const inside = workers(melo, { audio: Buffer.from("mp3").toString("base64") });
    const speech = await inside.client.audio.speech.create({ model: melo, input: "Rain", voice: "alloy" });
    expect(speech.headers.get("content-type")).toBe("audio/mpeg");
    expect(speech.headers.get("x-sluice-dropped")).toBe("voice");
    expect(await speech.text()).toBe("mp3");
    expect(inside.sent()).toEqual({ prompt: "Rain" });

    const aura = "@cf/deepgram/aura-1";
    const bytes = workers(aura, () => new Response("wav", { headers: { "content-type": "audio/wav" } }));
    const ask = { model: aura, input: "Rain", voice: "luna", response_format: "wav" } as const;
    expect(await (await bytes.client.audio.speech.create(ask)).text()).toBe("wav");
    expect(bytes.sent()).toEqual({ text: "Rain", speaker: "luna", encoding: "linear16", container: "wav" });
  });

  test("reports why it refuses, and charges nothing", async () => {
    const { relay, client } = workers(turbo, () =>
      Response.json(
        { result: null, success: false, errors: [{ code: 5006, message: "not a sound" }] },
        { status: 400 },
      ),
    );
    const failure = await client.audio.transcriptions.create({ model: turbo, file: file() }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("not a sound") });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});

describe("Tencent Hunyuan's embeddings", () => {
  const model = "hunyuan-embedding";
  const usage = { PromptTokens: 12, TotalTokens: 12 };
  const signed = { type: 23, keys: ["1250000000|secret-id|secret-key"] };
  const embeddingResponse = () =>
    start(signed, model, (seen) => {
      const objection = tencentObjection(seen, "GetEmbedding");
      if (objection) return Response.json({ Response: { RequestId: "r", Error: { Code: objection, Message: "no" } } });
      const { InputList } = JSON.parse(seen.text) as { InputList: string[] };
      const Data = InputList.map((_, Index) => ({ Object: "embedding", Index, Embedding: [0.5, Index] }));
      return Response.json({ Response: { RequestId: "r", Data, Usage: usage } });
    });

  test("are requested by a signed call, and charged by its tokens", async () => {
    const { client, relay, sent } = embeddingResponse();
    // The client asks for base64, which the service does not know.
    const made = await client.embeddings.create({ model, input: ["sun", "rain"], dimensions: 2 });
    expect(made.data.map(({ index, embedding }) => [index, [...embedding]])).toEqual([
      [0, [0.5, 0]],
      [1, [0.5, 1]],
    ]);
    expect(sent()).toEqual({ InputList: ["sun", "rain"] });
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 12, quota: 24 });
  });

  test("a rejection with status 200 gets its own status, and free", async () => {
    const { client, relay } = start(signed, model, () =>
      Response.json({ Response: { RequestId: "r", Error: { Code: "InvalidParameterValue", Message: "too long" } } }),
    );
    const failure = await client.embeddings.create({ model, input: "sun" }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("too long") });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });

  test("with a plain key they come from the address that imitates OpenAI", async () => {
    const { client, upstream } = start({ type: 23, keys: ["sk-plain"] }, model, () =>
      Response.json({
        object: "list",
        data: [{ index: 0, embedding: [1] }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
      }),
    );
    await client.embeddings.create({ model, input: "sun", encoding_format: "float" });
    expect(upstream.received[0]?.path).toBe("/v1/embeddings");
    expect(upstream.received[0]?.headers.get("authorization")).toBe("Bearer sk-plain");
  });
});

describe("Google's embeddings", () => {
  const words = ["sun", "rain"];
  const numbers = [
    [0.5, 0.25],
    [0.125, 1],
  ];
  const gemini = (usageMetadata?: object) =>
    start({ type: 24, keys: ["AIza"] }, "gemini-embedding-2", ({ path, headers }) =>
      path === "/v1beta/models/gemini-embedding-2:batchEmbedContents" && headers.get("x-goog-api-key") === "AIza"
        ? Response.json({ embeddings: numbers.map((values) => ({ values })), usageMetadata })
        : Response.json({ error: { code: 404, message: path, status: "NOT_FOUND" } }, { status: 404 }),
    );
  const read = (made: OpenAI.CreateEmbeddingResponse) =>
    made.data.map(({ index, embedding }) => [index, [...embedding]]);
  const expected = numbers.map((list, index) => [index, list]);

  test("come from the Gemini API, as short as they are wanted, charged by its tokens", async () => {
    const { client, relay, sent } = gemini({ promptTokenCount: 12 });
    const model = "gemini-embedding-2";
    const { data, response } = await client.embeddings
      .create({ model, input: words, dimensions: 2, user: "u" })
      .withResponse();
    expect(read(data)).toEqual(expected);
    expect(data.usage).toEqual({ prompt_tokens: 12, total_tokens: 12 });
    expect(response.headers.get("x-sluice-dropped")).toBe("user");
    const request = (text: string) => ({
      model: "models/gemini-embedding-2",
      content: { parts: [{ text }] },
      outputDimensionality: 2,
    });
    expect(sent()).toEqual({ requests: words.map(request) });
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 12, quota: 24 });
  });

  test("are charged by a count of our own where none is reported", async () => {
    const { client, relay, sent } = gemini();
    await client.embeddings.create({ model: "gemini-embedding-2", input: "sun and rain" });
    expect(sent()).toEqual({
      requests: [{ model: "models/gemini-embedding-2", content: { parts: [{ text: "sun and rain" }] } }],
    });
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ completionTokens: 0, other: { usage_evidence: "estimated" } });
    expect(record.promptTokens).toBeGreaterThan(0);
    expect(record.quota).toBe(record.promptTokens * 2);
  });

  test("come from Vertex AI, charged by the tokens of all texts", async () => {
    const model = "text-embedding-005";
    const { client, relay, sent, upstream } = start({ type: 41, keys: ["express"] }, model, () =>
      Response.json({
        predictions: numbers.map((values, at) => ({ embeddings: { values, statistics: { token_count: at + 3 } } })),
        metadata: { billableCharacterCount: 7 },
      }),
    );
    expect(read(await client.embeddings.create({ model, input: words, dimensions: 2 }))).toEqual(expected);
    expect(upstream.received[0]?.path).toBe(`/v1/publishers/google/models/${model}:predict`);
    expect(upstream.received[0]?.headers.get("x-goog-api-key")).toBe("express");
    expect(sent()).toEqual({
      instances: words.map((content) => ({ content })),
      parameters: { outputDimensionality: 2 },
    });
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 7, quota: 14 });
  });

  test.each([24, 41])("cannot be had of tokens (type %i)", async (type) => {
    const model = "gemini-embedding-001";
    const { client, relay, upstream } = start({ type }, model, () => Response.json({}));
    for (const input of [
      [1, 2],
      [[1], [2]],
    ]) {
      const failure = await client.embeddings.create({ model, input: input as number[] }).then(
        () => null,
        (error) => error,
      );
      expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("not as tokens"), param: "input" });
    }
    expect(upstream.received).toEqual([]);
    expect((await relay.billing.nextRecord(2)).quota).toBe(0);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a rejection is reported, and free", async () => {
    const model = "gemini-embedding-001";
    const { client, relay } = start({ type: 24 }, model, () =>
      Response.json({ error: { code: 400, message: "too long", status: "INVALID_ARGUMENT" } }, { status: 400 }),
    );
    const failure = await client.embeddings.create({ model, input: "sun" }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("too long") });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});

describe("MiniMax", () => {
  const failed = (status_code: number) => ({ base_resp: { status_code, status_msg: "no such voice" } });
  const fine = { base_resp: { status_code: 0, status_msg: "success" } };

  test.each([
    [false, 1008, 503],
    [true, 1008, 503],
    [false, 1002, 429],
    [true, 2013, 400],
  ])("chats fail with status 200 too (streamed: %p, code %i)", async (stream, code, status) => {
    const { client, relay } = start({ type: 35 }, "MiniMax-M2", () => Response.json(failed(code)));
    const failure = await client.chat.completions
      .create({ model: "MiniMax-M2", messages: [{ role: "user", content: "Hi" }], stream })
      .then(
        () => null,
        (error) => error,
      );
    // The gateway replaces a rate limit of the provider by a message of its own.
    const words = { 429: "limits our rate", 503: "temporarily unavailable" }[status] ?? "no such voice";
    expect(failure).toMatchObject({ status, message: expect.stringContaining(words) });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });

  test("returns embeddings in a format of its own", async () => {
    const model = "embo-01";
    const { client, relay, sent, upstream } = start({ type: 35 }, model, () =>
      Response.json({ vectors: [[0.5], [0.25]], total_tokens: 7, ...fine }),
    );
    const made = await client.embeddings.create({ model, input: ["sun", "rain"] });
    expect(made.data.map(({ embedding }) => [...embedding])).toEqual([[0.5], [0.25]]);
    expect(sent()).toEqual({ model, texts: ["sun", "rain"], type: "db" });
    expect(upstream.received[0]?.path).toBe("/v1/embeddings");
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 7, quota: 14 });
  });

  test("speaks in hexadecimal digits, and fails with status 200", async () => {
    const model = "speech-2.5-hd-preview";
    const answers: object[] = [
      { data: { audio: Buffer.from("mp3").toString("hex"), status: 2 }, ...fine },
      failed(2013),
    ];
    const { client, sent, upstream } = start({ type: 35 }, model, () => Response.json(answers.shift()));
    const ask = { model, input: "Rain", voice: "male-qn-qingse", speed: 1.5 };
    expect(await (await client.audio.speech.create(ask)).text()).toBe("mp3");
    expect(upstream.received[0]?.path).toBe("/v1/t2a_v2");
    expect(sent()).toEqual({
      model,
      text: "Rain",
      stream: false,
      voice_setting: { voice_id: "male-qn-qingse", speed: 1.5 },
      audio_setting: { format: "mp3" },
    });
    const failure = await client.audio.speech.create(ask).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("no such voice") });
  });
});

test("DashScope ranks documents", async () => {
  const model = "qwen3-rerank";
  const results = [{ index: 1, relevance_score: 0.9 }];
  const { relay, sent, upstream } = start({ type: 17 }, model, () =>
    Response.json({ output: { results }, usage: { total_tokens: 11 }, request_id: "r" }),
  );
  const answer = await relay.post("/v1/rerank", { model, query: "wet?", documents: ["sun", "rain"], top_n: 1 });
  expect(await answer.json()).toMatchObject({ results });
  expect(upstream.received[0]?.path).toBe("/api/v1/services/rerank/text-rerank/text-rerank");
  expect(sent()).toEqual({ model, input: { query: "wet?", documents: ["sun", "rain"] }, parameters: { top_n: 1 } });
  expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 11, quota: 22 });
});

test.each([
  ["SiliconFlow", 40, { image_size: "1024x1024", batch_size: 2 }, "quality"],
  ["xAI", 48, { aspect_ratio: "1:1", n: 2 }, "quality"],
] as const)("%s receives image requests in its own names", async (_name, type, expected, dropped) => {
  const model = "painter";
  const { client, sent } = start({ type }, model, () => Response.json({ data: [{ url: "https://x.example/1.png" }] }));
  const order = { model, prompt: "a gate", n: 2, size: "1024x1024", quality: "hd" } as const;
  const { data, response } = await client.images.generate(order).withResponse();
  expect(data.data).toEqual([{ url: "https://x.example/1.png" }]);
  expect(sent()).toEqual({ model, prompt: "a gate", ...expected });
  expect(response.headers.get("x-sluice-dropped")).toBe(dropped);
});

describe("xAI, which takes JSON alone", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");
  const edits = () =>
    start({ type: 48, keys: ["xai"] }, "grok-imagine-image", ({ path, headers }) =>
      path === "/v1/images/edits" && headers.get("content-type")?.startsWith("application/json")
        ? Response.json({ data: [{ b64_json: "AAAA" }] })
        : Response.json({ code: "Unsupported", error: "Expected application/json" }, { status: 415 }),
    );
  const imageFile = (name: string) => new File([PNG], name, { type: "image/png" });
  const url = `data:image/png;base64,${PNG.toString("base64")}`;

  test("gets the image of a form as a data URI", async () => {
    const { client, sent } = edits();
    const request = { model: "grok-imagine-image", prompt: "wider", n: 1, size: "1792x1024" as "1024x1024" };
    const { data, response } = await client.images
      .edit({ ...request, image: imageFile("a.png"), mask: imageFile("m.png"), response_format: "b64_json" })
      .withResponse();
    expect(data.data).toEqual([{ b64_json: "AAAA" }]);
    expect(data.created).toBeGreaterThan(0);
    expect(sent()).toEqual({
      model: "grok-imagine-image",
      prompt: "wider",
      n: 1,
      aspect_ratio: "16:9",
      response_format: "b64_json",
      image: { type: "image_url", url },
    });
    expect(response.headers.get("x-sluice-dropped")).toBe("mask");
  });

  test("gets several images as a list", async () => {
    const { client, sent } = edits();
    await client.images.edit({
      model: "grok-imagine-image",
      prompt: "both",
      image: [imageFile("a.png"), imageFile("b.png")],
    });
    expect(sent()).toEqual({
      model: "grok-imagine-image",
      prompt: "both",
      images: Array(2).fill({ type: "image_url", url }),
    });
  });

  test("gets a client's JSON with its images", async () => {
    const { relay, sent } = edits();
    const image = { type: "image_url", url: "https://images.example/a.png" };
    await relay.post("/v1/images/edits", { model: "grok-imagine-image", prompt: "wider", image });
    expect(sent()).toEqual({ model: "grok-imagine-image", prompt: "wider", image });
  });
});
