/** The official client against the executable: every answer arrives whole, is metered, charged to the unit and logged. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { settledAccount, waitForLogs } from "../../support/billing/books.ts";
import { ENGINES, type Fixture, setOption, startFixture } from "../../support/e2e/fixture.ts";

const MODELS = [
  "gpt-4o",
  "usage-1000-500-cached-800",
  "usage-with-choices",
  "no-usage",
  "tools",
  "gzip",
  "err-400",
  "text-embedding-3-small",
];

describe.each(ENGINES)("the openai client on %s", (engine) => {
  let fixture: Fixture;
  let client: OpenAI;
  const ask = { messages: [{ role: "user" as const, content: "What is a sluice?" }] };

  beforeAll(async () => {
    fixture = await startFixture(MODELS, { engine });
    const ratio = Object.fromEntries(MODELS.map((model) => [model, 2]));
    await setOption(fixture.root, "ModelRatio", ratio);
    await setOption(fixture.root, "CompletionRatio", Object.fromEntries(MODELS.map((model) => [model, 4])));
    await setOption(fixture.root, "CacheRatio", { "usage-1000-500-cached-800": 0.5 });
    client = new OpenAI({ apiKey: fixture.key, baseURL: `${fixture.gateway.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => fixture.stop());

  test("a plain answer", async () => {
    const answer = await client.chat.completions.create({ model: "gpt-4o", ...ask });
    expect(answer.choices[0]?.message.content).toBe("A sluice is a gate that measures water.");
    expect(answer.usage?.prompt_tokens).toBe(21);
  });

  test("a stream arrives word by word; usage comes only to those who ask for it", async () => {
    const words: string[] = [];
    let usage: unknown = null;
    for await (const chunk of await client.chat.completions.create({ model: "gpt-4o", stream: true, ...ask })) {
      words.push(chunk.choices[0]?.delta.content ?? "");
      usage ??= chunk.usage;
    }
    expect(words.join("")).toBe("A sluice is a gate that measures water.");
    expect(usage ?? null).toBeNull();
    const completion = await client.chat.completions.create({
      model: "gpt-4o",
      stream: true,
      stream_options: { include_usage: true },
      ...ask,
    });
    for await (const chunk of completion) usage ??= chunk.usage;
    expect(usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 9 });
  });

  test("parallel tool calls keep their ids and arguments through the stream helper", async () => {
    const stream = client.chat.completions.stream({ model: "tools", ...ask });
    const calls = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => (call.type === "function" ? call.function.name : ""))).toEqual([
      "open_gate",
      "read_level",
    ]);
    expect(calls.map((call) => call.id)).toEqual(["call_gate1", "call_gate2"]);
  });

  test("compressed answers, embeddings, the list of models", async () => {
    expect((await client.chat.completions.create({ model: "gzip", ...ask })).choices).toHaveLength(1);
    const { data } = await client.embeddings.create({ model: "text-embedding-3-small", input: ["one", "two"] });
    expect(data).toHaveLength(2);
    expect((await client.models.list()).data.map((model) => model.id).sort()).toEqual([...MODELS].sort());
    expect((await client.models.retrieve("gpt-4o")).id).toBe("gpt-4o");
    expect(await failureOf(client.models.retrieve("nothing-like-it"))).toMatchObject({ status: 404 });
  });

  test("errors arrive as the client's own error classes, with a message that helps", async () => {
    const wrongKey = new OpenAI({ apiKey: "sk-unknown", baseURL: `${fixture.gateway.url}/v1`, maxRetries: 0 });
    expect(await failureOf(wrongKey.chat.completions.create({ model: "gpt-4o", ...ask }))).toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    expect(await failureOf(client.chat.completions.create({ model: "err-400", ...ask }))).toBeInstanceOf(
      OpenAI.BadRequestError,
    );
    expect(await failureOf(client.chat.completions.create({ model: "nobody-has-it", ...ask }))).toMatchObject({
      status: 404,
      code: "model_not_found",
      message: expect.stringContaining("nobody-has-it"),
    });
  });

  test("usage is charged by the formula, cached input at its own ratio, and the receipt says so", async () => {
    const before = await settledAccount(fixture.root);
    const answer = await client.chat.completions.create({ model: "usage-1000-500-cached-800", ...ask }).withResponse();
    expect(Number(answer.response.headers.get("x-sluice-overhead-ms"))).toBeGreaterThanOrEqual(0);
    const id = answer.response.headers.get("x-request-id") ?? "";
    const [row] = await waitForLogs(fixture.root, (log) => log.other.request_id === id);
    // (1000 − 800 + 800 × 0.5 + 500 × 4) × 2
    expect(row).toMatchObject({ quota: 5200, prompt_tokens: 1000, completion_tokens: 500, is_stream: false, type: 2 });
    expect(row?.other).toMatchObject({ model_ratio: 2, completion_ratio: 4, cache_ratio: 0.5, cache_tokens: 800 });
    expect(row?.other.receipt.total).toBe(5200);
    const after = await settledAccount(fixture.root);
    expect(before.quota - after.quota).toBe(5200);
    expect(after.used_quota - before.used_quota).toBe(5200);
    expect(after.request_count - before.request_count).toBe(1);
  });

  test("a compacted conversation is charged as the call that summarized it, and continues", async () => {
    const { data, response } = await client.responses
      .compact({ model: "gpt-4o", input: [{ role: "user", content: "What is a sluice?" }] })
      .withResponse();
    expect(data.output.map(({ type }) => type)).toEqual(["message", "compaction"]);
    const id = response.headers.get("x-request-id");
    const [row] = await waitForLogs(fixture.root, (log) => log.other.request_id === id);
    const { input_tokens: prompt, output_tokens: completion } = data.usage;
    expect(row).toMatchObject({ prompt_tokens: prompt, completion_tokens: completion, type: 2 });
    expect(row?.quota).toBe((prompt + completion * 4) * 2);
    const input = [...data.output, { role: "user", content: "Go on." }] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model: "gpt-4o", input })).status).toBe("completed");
  });

  test("without usage from upstream the tokens are counted here, and the row says so", async () => {
    const stream = await client.chat.completions.create({ model: "no-usage", stream: true, ...ask }).withResponse();
    for await (const _ of stream.data);
    const id = stream.response.headers.get("x-request-id");
    const [row] = await waitForLogs(fixture.root, (log) => log.other.request_id === id);
    expect(row?.other.usage_evidence).toBe("estimated");
    expect(row?.completion_tokens).toBeGreaterThanOrEqual(8);
    expect(row?.quota).toBeGreaterThan(0);
  });
});

/** What a call fails with; the client's promises are not plain ones, which `rejects` takes for fulfilled. */
function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call).then(
    () => null,
    (error) => error,
  );
}
