/** Anthropic's message threads, as its SDK uses them: by default in its tool runner. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { ANSWER, FAMILY_TYPES, type Family, startFamily } from "../../../test/support/gateway/families.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { anthropic } from "../../providers/labs/anthropic.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startRelay>[0];
type Upstream = ReturnType<typeof startUpstream>;

function startOnto(channels: Setup["channels"], options: Setup["options"] = {}) {
  const relay = startRelay({ channels, options: { ModelRatio: '{"m": 1}', RetryTimes: "0", ...options } });
  stops.push(relay.stop);
  const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
  return { relay, client };
}

const weather = betaTool({
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "rainy",
});
const OPTIONS = { model: "m", max_tokens: 99, tools: [weather] };
const question = { role: "user", content: "How is it in Ghent?" } as const;

const runTools = (client: Anthropic) => client.beta.messages.toolRunner({ ...OPTIONS, messages: [question] });

async function runStreamed(client: Anthropic): Promise<Anthropic.Beta.BetaMessage> {
  const runner = client.beta.messages.toolRunner({ ...OPTIONS, messages: [question], stream: true });
  let last: Anthropic.Beta.BetaMessage | null = null;
  for await (const stream of runner) last = await stream.finalMessage();
  if (!last) throw new Error("the runner said nothing");
  return last;
}

const textOf = ({ content }: Anthropic.Beta.BetaMessage) =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
const bodiesOf = ({ received }: Upstream) => received.map(({ text }) => JSON.parse(text));

/** An account at Anthropic: it stores its own threads and does not know any others. */
function startAccount(name: string) {
  const threads = new Set<string>();
  let made = 0;
  const upstream = startUpstream(({ text }) => {
    const { thread, messages, system, tools, stream } = JSON.parse(text);
    if (thread?.type === "continue") {
      if (!threads.delete(thread.previous_message_id)) {
        const details = { error_code: "thread_not_found" };
        const error = { type: "not_found_error", message: "No such thread.", details };
        return Response.json({ type: "error", error }, { status: 404 });
      }
      if (system || tools)
        return Response.json(
          { type: "error", error: { type: "invalid_request_error", message: "twice" } },
          { status: 400 },
        );
    }
    made += 1;
    const id = `msg_${name}_${made}`;
    if (thread) threads.add(id);
    const isAnswered = JSON.stringify(messages).includes("rainy");
    const block = isAnswered
      ? { type: "text", text: ANSWER }
      : { type: "tool_use", id: `toolu_${name}_${made}`, name: "weather", input: { city: "Ghent" } };
    const message = { id, type: "message", role: "assistant", model: "m" };
    const usage = { input_tokens: 9, output_tokens: 3 };
    const end = { stop_reason: isAnswered ? "end_turn" : "tool_use", stop_sequence: null };
    if (!stream) return Response.json({ ...message, content: [block], ...end, usage });
    const delta = isAnswered
      ? { type: "text_delta", text: ANSWER }
      : { type: "input_json_delta", partial_json: '{"city":"Ghent"}' };
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } },
      {
        type: "content_block_start",
        index: 0,
        content_block: isAnswered ? { type: "text", text: "" } : { ...block, input: {} },
      },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: end, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ];
    return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  });
  stops.push(upstream.stop);
  return {
    upstream,
    threads,
    channel: { type: 14, baseUrl: upstream.url, models: ["m"], setting: { message_threads: true } },
  };
}

describe("if no channel supports threads", () => {
  test.each([
    ["openai", {}],
    ["gemini", {}],
    ["anthropic", {}],
    ["anthropic", { message_threads: true, system_prompt: "Be brief." }],
  ] satisfies [Family, object][])("%s %j gets the whole conversation", async (family, setting) => {
    const upstream = startFamily(family);
    stops.push(upstream.stop);
    const { client } = startOnto([{ type: FAMILY_TYPES[family], baseUrl: upstream.url, models: ["m"], setting }]);
    for (const run of [runTools, runStreamed]) {
      expect(textOf(await run(client))).toBe(ANSWER);
      const sent = upstream.received.at(-1)?.text ?? "";
      for (const part of [question.content, "Ghent", "rainy", '"weather"']) expect(sent).toContain(part);
      expect(sent).not.toContain('"thread"');
    }
  });

  test("threads are rejected if responses are not stored", async () => {
    const account = startAccount("a");
    const { client } = startOnto([account.channel], { "responses.keep_hours": "0" });
    expect(textOf(await runTools(client))).toBe(ANSWER);
    expect(bodiesOf(account.upstream).every(({ thread }) => thread === undefined)).toBe(true);
  });
});

describe("at Anthropic", () => {
  test.each([
    ["whole", runTools],
    ["streamed", runStreamed],
  ] as const)("a thread goes on at the channel and key that began it: %s", async (_, run) => {
    const accounts = ["a", "b", "c"].map(startAccount);
    const keys = ["one", "two", "three"];
    const { client } = startOnto(accounts.map(({ channel }) => ({ ...channel, keys })));
    for (let round = 0; round < 12; round += 1) expect(textOf(await run(client))).toBe(ANSWER);
    const sent = accounts.flatMap(({ upstream }) => upstream.received);
    expect(sent).toHaveLength(24);
    for (const { upstream } of accounts) {
      const keyOf = new Map<string, string | null>();
      let made = 0;
      for (const { text, headers } of upstream.received) {
        made += 1;
        const { thread, messages } = JSON.parse(text);
        const key = headers.get("x-api-key");
        if (thread.type === "continue") {
          expect(messages).toHaveLength(1);
          expect(key).toBe(keyOf.get(thread.previous_message_id) ?? "");
        }
        keyOf.set(
          `msg_${upstream === accounts[0]?.upstream ? "a" : upstream === accounts[1]?.upstream ? "b" : "c"}_${made}`,
          key,
        );
      }
    }
  });

  test("a thread begins only on channels that support threads", async () => {
    const account = startAccount("a");
    const other = startFamily("openai");
    stops.push(other.stop);
    const foreign = { type: FAMILY_TYPES.openai, baseUrl: other.url, models: ["m"], weight: 100 };
    const { client } = startOnto([foreign, { ...account.channel, weight: 1 }]);
    for (let round = 0; round < 5; round += 1) expect(textOf(await runTools(client))).toBe(ANSWER);
    expect(other.received).toHaveLength(0);
  });

  test("the SDK replays a conversation that the account has lost", async () => {
    const account = startAccount("a");
    const { client } = startOnto([account.channel]);
    const thread = client.beta.messages.thread(OPTIONS);
    await thread.send(question);
    account.threads.clear();
    const result = { type: "tool_result", tool_use_id: "toolu_a_1", content: "rainy" } as const;
    expect(textOf(await thread.send({ role: "user", content: [result] }))).toBe(ANSWER);
    const last = bodiesOf(account.upstream).at(-1);
    expect(last.thread).toEqual({ type: "create" });
    expect(last.messages).toHaveLength(3);
  });

  test("the SDK replays a conversation whose channel was removed", async () => {
    const [first, second] = ["a", "b"].map(startAccount);
    if (!first || !second) throw new Error("two accounts were started");
    const disabledKeys = new Set<string>();
    const { client } = startOnto([{ ...first.channel, priority: 1, disabledKeys }, second.channel]);
    const thread = client.beta.messages.thread(OPTIONS);
    await thread.send(question);
    expect(first.upstream.received).toHaveLength(1);
    disabledKeys.add("upstream-key");
    const result = { type: "tool_result", tool_use_id: "toolu_a_1", content: "rainy" } as const;
    expect(textOf(await thread.send({ role: "user", content: [result] }))).toBe(ANSWER);
    expect(bodiesOf(second.upstream).at(-1)).toMatchObject({ thread: { type: "create" } });
  });

  test("another user's message is no thread", async () => {
    const account = startAccount("a");
    const { relay } = startOnto([account.channel]);
    const thread = { type: "continue", previous_message_id: "msg_unknown" };
    const answer = await relay.post("/v1/messages", { model: "m", max_tokens: 9, thread, messages: [question] });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
    });
    expect(account.upstream.received).toHaveLength(0);
  });

  test("a paused turn continues without a new message, and a gateway mark inside a text has no effect", async () => {
    const account = startAccount("a");
    const { relay } = startOnto([account.channel]);
    const common = { model: "m", max_tokens: 9 };
    const first = await relay.post("/v1/messages", { ...common, thread: { type: "create" }, messages: [question] });
    const { id } = (await first.json()) as { id: string };
    const thread = { type: "continue", previous_message_id: id };
    const second = await relay.post("/v1/messages", { ...common, thread, messages: [] });
    expect(second.status).toBe(200);
    expect(bodiesOf(account.upstream).at(-1)).toMatchObject({ thread, messages: [] });
    const { id: next } = (await second.json()) as { id: string };
    const result = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sluice~ rainy" }],
    };
    const goesOn = { type: "continue", previous_message_id: next };
    await relay.post("/v1/messages", { ...common, thread: goesOn, messages: [result] });
    expect(bodiesOf(account.upstream).at(-1)).toEqual({ ...common, thread: goesOn, messages: [result] });
  });
});

test("only Anthropic's own base URL is assumed to support threads", () => {
  const keeps = (baseUrl: string, isDeclared: boolean | null = null) =>
    anthropic.chat?.keepsState?.({ baseUrl, other: "", openaiOrganization: "" }, isDeclared);
  expect(["", "https://api.anthropic.com", "https://api.anthropic.com/v1"].map((url) => keeps(url))).toEqual([
    true,
    true,
    true,
  ]);
  expect(["https://api.deepseek.com/anthropic", "https://anthropic.com.example"].map((url) => keeps(url))).toEqual([
    false,
    false,
  ]);
  expect([keeps("https://proxy.example", true), keeps("", false)]).toEqual([true, false]);
});
