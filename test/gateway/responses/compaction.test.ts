/** POST /v1/responses/compact: by the provider's own call, or by a summary that the model writes. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { FAMILIES, FAMILY_TYPES, startFamily } from "../../support/gateway/families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Parameters<typeof startRelay>[0];
type Upstream = ReturnType<typeof startUpstream>;

function start(upstream: Upstream, channel: Setup["channels"][number] = {}, more: Partial<Setup> = {}) {
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"], ...channel }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', GroupRatio: '{"default": 1}' },
    ...more,
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { relay, client, upstream };
}

const HISTORY: OpenAI.Responses.ResponseInput = [
  { role: "developer", content: "Speak English." },
  { role: "user", content: "How is the weather in Ghent?" },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Ghent"}' },
  { type: "function_call_output", call_id: "call_1", output: "rainy" },
  { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] },
  { role: "user", content: [{ type: "input_text", text: "Thanks. And tomorrow?" }] },
];

const compactionOf = ({ output }: OpenAI.Responses.CompactedResponse) => {
  const item = output.find(({ type }) => type === "compaction");
  if (item?.type !== "compaction") throw new Error("no compaction item");
  return item;
};

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

const NATIVE = {
  id: "resp_native",
  object: "response.compaction",
  created_at: 1_700_000_000,
  output: [
    { id: "msg_9", type: "message", status: "completed", role: "user", content: [{ type: "input_text", text: "Hi" }] },
    { id: "cmp_9", type: "compaction", encrypted_content: "sealed-by-openai" },
  ],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 130,
  },
};

const CONTEXT = { context_management: [{ type: "compaction", compact_threshold: 1_000 }] };

const RESPONSE = {
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m" },
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Summed", annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};

describe("by a summary of the model", () => {
  test.each(FAMILIES)("%s: is charged as its call, and continues on every provider", async (family) => {
    const { relay, client, upstream } = start(startFamily(family), { type: FAMILY_TYPES[family] });
    const compacted = await client.responses.compact({ model: "m", input: HISTORY, instructions: "Be brief." });
    expect(compacted).toMatchObject({ object: "response.compaction", id: expect.stringMatching(/^resp_/) });
    expect(compacted.output.map((item) => (item.type === "message" ? item.content : item.type))).toEqual([
      [{ type: "input_text", text: "How is the weather in Ghent?" }],
      [{ type: "input_text", text: "Thanks. And tomorrow?" }],
      "compaction",
    ] as never);
    const sent = upstream.received.at(-1)?.text ?? "";
    for (const text of ["Summarize this conversation", "Be brief.", "Speak English.", "[Called weather"])
      expect(sent).toContain(text);
    const { encrypted_content: sealed } = compactionOf(compacted);
    expect(Buffer.from(sealed, "base64").toString("base64")).toBe(sealed);

    const record = await relay.billing.nextRecord();
    const { input_tokens: promptTokens, output_tokens: completionTokens } = compacted.usage;
    expect(promptTokens).toBeGreaterThan(0);
    expect(record).toMatchObject({ promptTokens, completionTokens, other: { ending: "complete" } });
    expect(record.other.receipt).toMatchObject({ total: record.quota });
    expect(relay.billing.openHolds).toBe(0);

    // It comes back to another provider, which reads it as text.
    const other = start(startFamily(family === "gemini" ? "anthropic" : "gemini"), {
      type: FAMILY_TYPES[family === "gemini" ? "anthropic" : "gemini"],
    });
    const answer = await other.client.responses.create({
      model: "m",
      input: [...compacted.output, { role: "user", content: "Is it rainy?" }] as OpenAI.Responses.ResponseInput,
    });
    expect(answer.output_text).toBe("It rains in Ghent.");
    const continued = other.upstream.received.at(-1)?.text ?? "";
    expect(continued).toContain("It rains in Ghent.");
    expect(continued).not.toContain(sealed);
  });

  test("keeps declared tools, and asks for none", async () => {
    const { relay, upstream } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: {} } }];
    const compacted = await relay.post("/v1/responses/compact", { model: "m", input: HISTORY, tools });
    expect(compacted.status).toBe(200);
    const sent = JSON.parse(upstream.received.at(-1)?.text ?? "");
    expect(sent.tools).toHaveLength(1);
    expect(sent.tool_choice).toEqual({ type: "none" });
    expect(JSON.stringify(sent.messages)).toContain("tool_use");
  });

  test("is not summarized as a message of the user when it is compacted again", async () => {
    const { client } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const first = await client.responses.compact({ model: "m", input: HISTORY });
    const again = await client.responses.compact({
      model: "m",
      input: [...first.output, { role: "user", content: "rainy?" }] as OpenAI.Responses.ResponseInput,
    });
    expect(again.output.map(({ type }) => type)).toEqual(["message", "message", "message", "compaction"]);
    expect(JSON.stringify(again.output)).not.toContain("was compacted");
  });

  test("takes the conversation behind previous_response_id", async () => {
    const upstream = startUpstream(({ path }) =>
      path.endsWith("/compact") || path.endsWith("/responses")
        ? new Response("no", { status: 404 })
        : Response.json(chatReply()),
    );
    const { client } = start(upstream);
    const first = await client.responses.create({ model: "m", input: "My name is Ada." });
    const compacted = await client.responses.compact({ model: "m", previous_response_id: first.id });
    expect(upstream.received.at(-1)?.text).toContain("My name is Ada.");
    expect(compacted.output).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "My name is Ada." }] },
      { type: "compaction" },
    ]);
  });

  test("a changed item is refused before any upstream is called", async () => {
    const { client, upstream, relay } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const item = compactionOf(await client.responses.compact({ model: "m", input: HISTORY }));
    const plain = Buffer.from(item.encrypted_content, "base64").toString();
    const changed = Buffer.from(plain.replace("Ghent", "Paris")).toString("base64");
    const input = [
      { ...item, encrypted_content: changed },
      { role: "user" as const, content: "Hi" },
    ];
    expect(await failureOf(client.responses.create({ model: "m", input }))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param: "input",
    });
    expect(upstream.received).toHaveLength(1);
    expect([relay.billing.records.filter(({ quota }) => quota > 0).length, relay.billing.openHolds]).toEqual([1, 0]);
  });

  test("without a summary it fails, and costs nothing", async () => {
    const silent = chatReply({
      choices: [{ index: 0, message: { role: "assistant", content: " " }, finish_reason: "stop" }],
    });
    const { client, relay } = start(
      startUpstream(() => Response.json(silent)),
      { type: 43 },
    );
    expect(await failureOf(client.responses.compact({ model: "m", input: "Hi" }))).toMatchObject({ status: 502 });
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });

  test.each([
    [{ input: "Hi" }, 400, "model"],
    [{ model: "m" }, 400, "input"],
    [{ model: "m", input: 3 }, 400, "input"],
    [{ model: "unknown", input: "Hi" }, 404, null],
    [{ model: "m", previous_response_id: "resp_none" }, 400, "previous_response_id"],
  ])("%j is refused in the format of Responses", async (body, status, param) => {
    const { relay, upstream } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const refused = await relay.post("/v1/responses/compact", body);
    const { error } = (await refused.json()) as { error: { message: string; param: string } };
    expect([refused.status, error.message !== ""]).toEqual([status, true]);
    if (param !== null) expect(error.param).toBe(param);
    expect(upstream.received).toEqual([]);
  });

  test("is refused where the balance does not cover it", async () => {
    const { relay, upstream } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    relay.billing.available = 0;
    const refused = await relay.post("/v1/responses/compact", { model: "m", input: "rainy" });
    expect([refused.status, upstream.received.length]).toEqual([429, 0]);
  });
});

describe("by the provider", () => {
  const openai = (status = 200) =>
    startUpstream(({ path }) => {
      if (!path.endsWith("/compact")) return Response.json(RESPONSE);
      return status === 200 ? Response.json(NATIVE) : new Response("404 page not found", { status });
    });

  test("the body passes through, the response too, and its usage is charged", async () => {
    const { relay, upstream } = start(openai());
    const body = '{"model": "m",  "input": [{"role": "user", "content": "Hi"}], "prompt_cache_key": "k"}';
    const answer = await relay.post("/v1/responses/compact", body);
    expect(await answer.json()).toEqual(NATIVE);
    expect(upstream.received.map(({ path, text }) => [path, text])).toEqual([["/v1/responses/compact", body]]);
    const record = await relay.billing.nextRecord();
    // 60 new and 40 cached tokens at 1, 30 of output at 4.
    expect(record).toMatchObject({ promptTokens: 100, completionTokens: 30, other: { cache_tokens: 40 } });
    expect(record.quota).toBe(60 + 40 + 30 * 4);
  });

  test("a model's other name is replaced", async () => {
    const { relay, upstream } = start(openai(), { modelMapping: new Map([["m", "gpt-5"]]) });
    await relay.post("/v1/responses/compact", { model: "m", input: "Hi" });
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({ model: "gpt-5", input: "Hi" });
  });

  test.each([
    ["v1", "/openai/v1/responses/compact"],
    ["2025-04-01-preview", "/openai/responses/compact"],
  ])("Azure's address with %s", async (other, path) => {
    const { relay, upstream } = start(openai(), { type: 3, other });
    expect((await relay.post("/v1/responses/compact", { model: "m", input: "Hi" })).status).toBe(200);
    expect(upstream.received.map((each) => each.path)).toEqual([path]);
  });

  test("a server without it is called once, then summarizes by its Responses", async () => {
    const { client, upstream, relay } = start(openai(404));
    for (const time of [1, 2]) {
      const { output, usage } = await client.responses.compact({ model: "m", input: `Hi ${time}` });
      expect([output.at(-1)?.type, usage.input_tokens, usage.output_tokens]).toEqual(["compaction", 3, 2]);
    }
    expect(upstream.received.map(({ path }) => path)).toEqual([
      "/v1/responses/compact",
      "/v1/responses",
      "/v1/responses",
    ]);
    expect(JSON.parse(upstream.received.at(-1)?.text ?? "")).toMatchObject({ store: false });
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([3 + 2 * 4, 3 + 2 * 4]);
  });

  test("a trigger in the input passes through", async () => {
    const { relay, upstream } = start(openai());
    const body = '{"model":"m","input":[{"role":"user","content":"Hi"},{"type":"compaction_trigger"}],"store":false}';
    expect(await (await relay.post("/v1/responses", body)).json()).toEqual(RESPONSE);
    expect(upstream.received.map(({ path, text }) => [path, text])).toEqual([["/v1/responses", body]]);
  });

  test("an item returns to the account that made it, and to no other provider", async () => {
    const upstream = openai();
    const foreign = startFamily("anthropic");
    stops.push(foreign.stop);
    const { relay, client } = start(
      upstream,
      {},
      {
        channels: [
          { baseUrl: foreign.url, type: FAMILY_TYPES.anthropic, models: ["m"], weight: 10 },
          { baseUrl: upstream.url, models: ["m"], keys: ["key-a", "key-b"], weight: 1 },
        ],
        random: Math.random,
      },
    );
    let made = await relay.post("/v1/responses/compact", { model: "m", input: "rainy" });
    while (upstream.received.length === 0)
      made = await relay.post("/v1/responses/compact", { model: "m", input: "rainy" });
    const maker = upstream.received[0]?.headers.get("authorization");
    const { output } = (await made.json()) as OpenAI.Responses.CompactedResponse;
    for (let time = 0; time < 8; time += 1) {
      const input = [...output, { role: "user", content: `Hi ${time}` }] as OpenAI.Responses.ResponseInput;
      expect((await client.responses.create({ model: "m", input })).output_text).toBe("Summed");
      expect(upstream.received.at(-1)?.headers.get("authorization")).toBe(maker as string);
    }
  });

  test.each([
    ["a trigger", false],
    ["a trigger", true],
    ["context management", true],
  ])("an item that %s made returns to its account too (streamed: %p)", async (by, stream) => {
    const item = { id: "cmp_1", type: "compaction", encrypted_content: "sealed-by-openai" };
    const response = { ...RESPONSE, output: [item] };
    const upstream = startUpstream(({ text }) => {
      if (!text.includes('"stream":true')) return Response.json(response);
      const events = [
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ];
      return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    });
    const { relay } = start(upstream, { keys: ["key-a", "key-b", "key-c"] });
    const user = { role: "user", content: "Hi" };
    const request = by === "a trigger" ? { input: [user, { type: "compaction_trigger" }] } : CONTEXT;
    const made = await relay.post("/v1/responses", { model: "m", store: false, stream, input: [user], ...request });
    await made.text();
    const maker = upstream.received[0]?.headers.get("authorization");
    for (let time = 0; time < 6; time += 1) {
      const next = await relay.post("/v1/responses", { model: "m", store: false, input: [item, user] });
      expect(next.status).toBe(200);
      expect(upstream.received.at(-1)?.headers.get("authorization")).toBe(maker as string);
    }
  });

  test("an unknown item is refused where no channel could read it", async () => {
    const { client, upstream } = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const input = [
      { type: "compaction" as const, encrypted_content: "sealed-elsewhere" },
      { role: "user" as const, content: "Hi" },
    ];
    expect(await failureOf(client.responses.create({ model: "m", input }))).toMatchObject({
      status: 400,
      code: "unsupported_reference",
    });
    expect(upstream.received).toEqual([]);
  });

  test("a summary of this gateway is sent to it as text", async () => {
    const made = start(startFamily("anthropic"), { type: FAMILY_TYPES.anthropic });
    const { output } = await made.client.responses.compact({ model: "m", input: HISTORY });
    const { relay, upstream } = start(openai());
    const answer = await relay.post("/v1/responses/compact", { model: "m", input: output, prompt_cache_key: "k" });
    expect(await answer.json()).toEqual(NATIVE);
    const sent = JSON.parse(upstream.received[0]?.text ?? "");
    expect(sent).toMatchObject({ model: "m", prompt_cache_key: "k" });
    expect(JSON.stringify(sent.input)).toContain("It rains in Ghent.");
    expect(JSON.stringify(sent.input)).not.toContain("c2x1aWNlf");
  });
});
