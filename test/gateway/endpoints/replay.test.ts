/** Recorded answers of calls other than chats, each through the endpoint that it belongs to: what clients read, and what is charged. */
import { afterEach, describe, expect, test } from "bun:test";
import { samples } from "../../support/formats/reference.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Row = Readonly<{
  sample: string;
  type: number;
  path: string;
  model: string;
  /** The client's request besides the model; a form where it holds a file. */
  ask: Readonly<Record<string, unknown>>;
  /** What the client reads. */
  expected: object;
  /** Tokens of prompt and answer; null: counted here. */
  tokens: readonly [number, number] | null;
  key?: string;
}>;

const embeddings = (...firsts: number[]) => ({
  object: "list",
  data: firsts.map((first, index) => ({ index, embedding: expect.arrayContaining([first]) })),
});
const ranked = (...results: (readonly [number, number])[]) => ({
  results: results.map(([index, relevance_score]) => ({ index, relevance_score })),
});
const file = { file: new Uint8Array(64) };
const RERANK = { query: "q", documents: ["a", "b", "c", "d", "e", "f"] };

const ROWS: readonly Row[] = [
  {
    sample: "openai/embeddings.response.json",
    ...{ type: 1, path: "/v1/embeddings", model: "text-embedding-3-small" },
    ask: { input: "Hello", encoding_format: "base64" },
    expected: { object: "list", data: [{ index: 0, embedding: expect.any(String) }] },
    tokens: [4, 0],
  },
  {
    sample: "mistral/embeddings.response.json",
    ...{ type: 42, path: "/v1/embeddings", model: "mistral-embed", ask: { input: "Hello" } },
    expected: embeddings(-0.02264404296875),
    tokens: [10, 0],
  },
  {
    sample: "tencent/embeddings.response.json",
    ...{ type: 23, path: "/v1/embeddings", model: "hunyuan-embedding", ask: { input: "Hello" }, key: "app|id|secret" },
    expected: embeddings(0.018218994140625),
    tokens: [3, 0],
  },
  {
    sample: "gemini/embeddings.response.json",
    ...{ type: 24, path: "/v1/embeddings", model: "gemini-embedding-001", ask: { input: "Hello" } },
    expected: embeddings(-0.022495363),
    tokens: null,
  },
  {
    sample: "jina/rerank.response.json",
    ...{ type: 38, path: "/v1/rerank", model: "jina-reranker-v2-base-multilingual", ask: RERANK },
    expected: {
      results: expect.arrayContaining([expect.objectContaining({ index: 0, relevance_score: 0.8783142566680908 })]),
    },
    tokens: [815, 0],
  },
  {
    sample: "jina/rerank.documents.response.json",
    ...{ type: 38, path: "/v1/rerank", model: "jina-reranker-v2-base-multilingual", ask: RERANK },
    expected: { results: expect.arrayContaining([expect.objectContaining({ index: 0 })]) },
    tokens: [50, 0],
  },
  {
    sample: "siliconflow/rerank.response.json",
    ...{ type: 40, path: "/v1/rerank", model: "BAAI/bge-reranker-v2-m3", ask: RERANK },
    expected: ranked([0, 0.99], [2, 0.31]),
    tokens: [123, 0],
  },
  {
    sample: "xinference/rerank.response.json",
    ...{ type: 47, path: "/v1/rerank", model: "bge-reranker-v2-m3", ask: { ...RERANK, return_documents: true } },
    expected: {
      results: expect.arrayContaining([expect.objectContaining({ document: { text: "A man is eating food." } })]),
    },
    tokens: null,
  },
  {
    sample: "cohere/rerank.response.json",
    ...{ type: 34, path: "/v1/rerank", model: "rerank-v3.5", ask: RERANK },
    expected: ranked([3, 0.999071], [4, 0.7779754], [1, 0.08882029]),
    tokens: null,
  },
  {
    sample: "cohere/rerank.v3_5.response.json",
    ...{ type: 34, path: "/v1/rerank", model: "rerank-v3.5", ask: RERANK },
    expected: ranked([1, 0.10183054], [0, 0.03762639]),
    tokens: null,
  },
  {
    sample: "cloudflare/rerank.response.json",
    ...{ type: 39, path: "/v1/rerank", model: "@cf/baai/bge-reranker-base", ask: RERANK },
    expected: ranked([1, 0.95], [0, 0.1]),
    tokens: null,
  },
  {
    sample: "openai/moderation.response.json",
    ...{ type: 1, path: "/v1/moderations", model: "omni-moderation-latest", ask: { input: "Hello" } },
    expected: { results: [{ flagged: true, categories: { harassment: true } }] },
    tokens: null,
  },
  {
    sample: "openai/completion.response.json",
    ...{ type: 1, path: "/v1/completions", model: "gpt-3.5-turbo-instruct", ask: { prompt: "A new holiday" } },
    expected: { object: "text_completion", choices: [{ finish_reason: "length" }] },
    tokens: [14, 16],
  },
  {
    sample: "openai/image.response.json",
    ...{ type: 1, path: "/v1/images/generations", model: "dall-e-3", ask: { prompt: "an otter" } },
    expected: {
      created: 1770935200,
      data: expect.arrayContaining([expect.objectContaining({ revised_prompt: expect.any(String) })]),
    },
    tokens: null,
  },
  {
    sample: "volcengine/image.response.json",
    ...{ type: 45, path: "/v1/images/generations", model: "doubao-seedream-4-0", ask: { prompt: "an otter" } },
    expected: { data: [{ url: "https://artifacts.example/route-test.png" }] },
    tokens: null,
  },
  {
    sample: "openai/transcription.response.json",
    ...{ type: 1, path: "/v1/audio/transcriptions", model: "gpt-4o-transcribe", ask: file },
    expected: { text: expect.stringMatching(/^Imagine the wildest idea/) },
    tokens: [14, 45],
  },
  {
    sample: "openai/transcription.verbose.response.json",
    ...{
      type: 1,
      path: "/v1/audio/transcriptions",
      model: "whisper-1",
      ask: { ...file, response_format: "verbose_json" },
    },
    expected: { task: "transcribe", duration: 36.709999084472656 },
    tokens: null,
  },
  {
    sample: "openai/translation.response.json",
    ...{ type: 1, path: "/v1/audio/translations", model: "whisper-1", ask: file },
    expected: { text: expect.stringMatching(/^Hello, my name is Wolfgang/) },
    tokens: null,
  },
  {
    sample: "mistral/transcription.response.json",
    ...{ type: 42, path: "/v1/audio/transcriptions", model: "voxtral-mini-latest", ask: file },
    expected: { text: expect.stringMatching(/^Galileo was an American/) },
    tokens: null,
  },
];

const recorded = new Map(samples(() => true));

describe.skipIf(recorded.size === 0)("recorded answers", () => {
  test.each(ROWS.map((row) => [row.sample, row] as const))("%s", async (sample, row) => {
    const { type, path, model, ask, expected, tokens, key = "key" } = row;
    const answer = recorded.get(sample);
    if (answer === undefined) throw new Error("there is no such sample");
    const upstream = startUpstream(() => new Response(answer, { headers: { "content-type": "application/json" } }));
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, models: [model], keys: [key], other: "account" }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    stops.push(upstream.stop, relay.stop);
    const response = await (ask.file
      ? postForm(`${relay.url}${path}`, { model, ...ask })
      : relay.post(path, { model, ...ask }));
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    expect(JSON.parse(text)).toMatchObject(expected);
    const record = await relay.billing.nextRecord();
    expect(record.failed).toBe(false);
    if (tokens) expect([record.promptTokens, record.completionTokens]).toEqual([...tokens]);
  });
});

function postForm(url: string, fields: Readonly<Record<string, unknown>>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value instanceof Uint8Array ? new File([new Uint8Array(value)], "a.wav") : String(value));
  }
  return fetch(url, { method: "POST", headers: { authorization: "Bearer sk-test" }, body: form });
}
