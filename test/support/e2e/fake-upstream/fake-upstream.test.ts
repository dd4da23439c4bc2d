import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { until } from "../../lib/until.ts";
import { type FakeUpstream, startFakeUpstream, UPSTREAM_KEY } from "./fake-upstream.ts";
import { ANSWER, TOOL_CALLS } from "./payloads.ts";

// The upstream that other tests lean on, seen by the official client without anything in between.
let upstream: FakeUpstream;
let client: OpenAI;
const messages = [{ role: "user" as const, content: "What is a sluice?" }];

beforeAll(() => {
  upstream = startFakeUpstream();
  client = new OpenAI({ apiKey: UPSTREAM_KEY, baseURL: `${upstream.url}/v1`, maxRetries: 0 });
});
afterAll(() => upstream.stop());

async function collect(model: string, includeUsage = false) {
  const options = includeUsage ? { stream_options: { include_usage: true } } : {};
  const stream = await client.chat.completions.create({ model, messages, stream: true, ...options });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test("answers whole and streamed, with usage only when asked", async () => {
  const completion = await client.chat.completions.create({ model: "gpt-4o", messages });
  expect(completion.choices[0]?.message.content).toBe(ANSWER.join(""));
  expect(completion.usage?.total_tokens).toBe(30);
  const plain = await collect("gpt-4o");
  expect(plain.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(ANSWER.join(""));
  expect(plain.some((chunk) => "usage" in chunk)).toBe(false);
  const metered = await collect("usage-7-5-cached-4", true);
  expect(metered.at(-1)?.choices).toEqual([]);
  expect(metered.at(-1)?.usage?.prompt_tokens_details?.cached_tokens).toBe(4);
  expect((await collect("usage-with-choices")).at(-1)?.choices).toHaveLength(1);
});

test("streams parallel tool calls in pieces", async () => {
  const chunks = await collect("tools");
  const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  const second = deltas.filter((delta) => delta.index === 1).map((delta) => delta.function?.arguments ?? "");
  expect(second.join("")).toBe(TOOL_CALLS[1]?.arguments ?? "");
});

test("fails as its name says", async () => {
  const failed = await client.chat.completions.create({ model: "err-429", messages }).catch((error) => error);
  expect(failed).toBeInstanceOf(OpenAI.RateLimitError);
  expect(failed.code).toBe("rate_limit_exceeded");
  await expect(collect("dies-after-3")).rejects.toThrow();
});

test("notices that the caller left", async () => {
  const stream = await client.chat.completions.create({ model: "silent-after-2", messages, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  await until(() => upstream.requests.at(-1)?.aborted === true && upstream.openStreams() === 0);
});

test("compressed answers, embeddings, text completions and models", async () => {
  expect((await client.chat.completions.create({ model: "gzip", messages })).usage?.prompt_tokens).toBe(21);
  const { data } = await client.embeddings.create({ model: "text-embedding-3-small", input: ["a", "b"] });
  expect(data.map(({ embedding }) => embedding)).toEqual([
    [0.25, -0.5, 0.125, 0.75],
    [0.25, -0.5, 0.125, 0.75],
  ]);
  expect((await client.completions.create({ model: "davinci", prompt: "A" })).choices[0]?.finish_reason).toBe("stop");
  expect((await client.models.list()).data.length).toBeGreaterThan(0);
});
