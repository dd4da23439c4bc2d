/** Edge cases of embeddings, images, audio and reranking, through the whole gateway. */
import { afterEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { wav } from "../../support/lib/wav.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODELS = ["text-embedding-3-small", "gpt-image-1", "gpt-4o-transcribe", "whisper-1", "rerank-x"];

function start(answer: Parameters<typeof startUpstream>[0], type = 1) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: MODELS }],
    options: { ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))) },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

const NUMBERS = [0.5, -1.25, 3];
const embeddings = (embedding: unknown) => ({
  object: "list",
  model: MODELS[0],
  data: [{ object: "embedding", index: 0, embedding }],
  usage: { prompt_tokens: 4, total_tokens: 4 },
});
const EMBEDDING_REQUEST = { model: "text-embedding-3-small", input: "a gate" };

test("clients that ask for base64 get it from upstreams that answer with numbers", async () => {
  const { relay, client } = start(() => Response.json(embeddings(NUMBERS)));
  expect((await client.embeddings.create(EMBEDDING_REQUEST)).data[0]?.embedding).toEqual(NUMBERS);
  const raw = await (await relay.post("/v1/embeddings", { ...EMBEDDING_REQUEST, encoding_format: "base64" })).json();
  const bytes = Buffer.from((raw as { data: { embedding: string }[] }).data[0]?.embedding ?? "", "base64");
  expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual(NUMBERS);
  expect(relay.billing.records.map(({ promptTokens }) => promptTokens)).toEqual([4, 4]);
});

test("base64 of the upstream's own and requested numbers pass unchanged", async () => {
  const packed = Buffer.from(new Float32Array(NUMBERS).buffer).toString("base64");
  const { relay, client, upstream } = start(({ text }) =>
    Response.json(embeddings(text.includes("base64") ? packed : NUMBERS)),
  );
  expect((await client.embeddings.create(EMBEDDING_REQUEST)).data[0]?.embedding).toEqual(NUMBERS);
  expect(upstream.received[0]?.text).toContain('"encoding_format":"base64"');
  const plain = await relay.post("/v1/embeddings", EMBEDDING_REQUEST);
  // Only an id is put in front, which some clients demand.
  expect(await plain.text()).toEndWith(JSON.stringify(embeddings(NUMBERS)).slice(1));
});

test("an upstream that knows numbers only gets a request for them", async () => {
  const { client, upstream } = start(() => Response.json(embeddings(NUMBERS)), 17);
  expect((await client.embeddings.create(EMBEDDING_REQUEST)).data[0]?.embedding).toEqual(NUMBERS);
  expect(JSON.parse(upstream.received[0]?.text ?? "")).toMatchObject({ encoding_format: "float" });
});

test.each([["image"], ["image[]"], ["image[0]"]])("%s of an edit arrives as a file", async (name) => {
  const seen: [string, string | File][] = [];
  const { relay } = start(async (_received, request) => {
    const type = request.headers.get("content-type") ?? "";
    const form = await new Response(_received.text, { headers: { "content-type": type } }).formData();
    for (const [member, value] of form) seen.push([member, value as string | File]);
    return Response.json({ created: 1, data: [{ b64_json: "AA==" }] });
  });
  const form = new FormData();
  form.append("model", "gpt-image-1");
  form.append("prompt", "wider");
  form.append("brand_new", "kept");
  const names = name === "image" ? [name] : [name, name.replace("0", "1")];
  for (const [at, member] of names.entries())
    form.append(member, new File([`png ${at}`], `${at}.png`, { type: "image/png" }));
  const answer = await fetch(`${relay.url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test" },
    body: form,
  });
  expect(answer.status).toBe(200);
  const files = seen.filter(([, value]) => value instanceof File);
  expect(files.map(([member]) => member)).toEqual(names.map((member) => member.replace(/\d/, "")));
  expect(await Promise.all(files.map(([, value]) => (value as File).text()))).toEqual(
    names.map((_, at) => `png ${at}`),
  );
  expect(seen.find(([member]) => member === "brand_new")?.[1]).toBe("kept");
});

test.each([
  ["text", "text/plain; charset=utf-8", "hello there\n"],
  ["srt", "application/x-subrip", "1\n00:00:00,000 --> 00:00:02,000\nhello there\n"],
  ["vtt", "text/vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nhello there\n"],
])("a transcription as %s passes as it is and is charged by the file", async (format, contentType, text) => {
  const { relay } = start(() => new Response(text, { headers: { "content-type": contentType } }));
  const form = new FormData();
  form.append("model", "whisper-1");
  form.append("response_format", format);
  form.append("file", new File([wav(30)], "a.wav"));
  const answer = await fetch(`${relay.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test" },
    body: form,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe(contentType);
  expect(await answer.text()).toBe(text);
  expect(relay.billing.records[0]?.promptTokens).toBe(500);
});

test("no format of transcriptions is forced; what the reply says it used is charged", async () => {
  const usage = { type: "tokens", input_tokens: 14, output_tokens: 45, total_tokens: 59 };
  const { client, relay, upstream } = start(({ text }) =>
    text.includes("verbose_json")
      ? Response.json({ error: { message: "response_format is not compatible with the model" } }, { status: 400 })
      : Response.json({ text: "hi", usage }),
  );
  const file = new File([new Uint8Array(64)], "a.wav");
  expect((await client.audio.transcriptions.create({ model: "gpt-4o-transcribe", file })).text).toBe("hi");
  expect(upstream.received[0]?.text).not.toContain("response_format");
  expect(relay.billing.records[0]).toMatchObject({ promptTokens: 14, completionTokens: 45 });
});

test("documents that rerank leaves out are put in from the request", async () => {
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.2, document: { text: "its own" } },
  ];
  const { relay } = start(() => Response.json({ results, usage: { total_tokens: 9 } }));
  const ask = { model: "rerank-x", query: "gate", documents: ["a sluice", { text: "a boat", id: 7 }] };
  const rerank = async (more: object) => (await relay.post("/v1/rerank", { ...ask, ...more })).json();
  expect(await rerank({ return_documents: true })).toMatchObject({
    results: [
      { index: 1, relevance_score: 0.9, document: { text: "a boat", id: 7 } },
      { index: 0, document: { text: "its own" } },
    ],
  });
  expect(await rerank({})).toEqual({ results, usage: { total_tokens: 9 } });
  expect(relay.billing.records.map(({ promptTokens }) => promptTokens)).toEqual([9, 9]);
});
