/** Every client format on every provider dialect, each with each of the features in docs/guide/compatibility.md. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import {
  CANNOT,
  FEATURES,
  type FeatureName,
  FURTHER,
  type FurtherName,
  PROVIDERS,
  type ProviderName,
  UNSUPPORTED,
} from "./cells.ts";
import { ask, CLIENT_FORMATS, type ClientFormat, dataOf, errorMessage } from "./client-formats.ts";
import {
  type Answer,
  BRUGES,
  GHENT,
  NOWHERE,
  PARAMETERS,
  PLAIN,
  RESULT,
  SCHEMA,
  type Sent,
  SYSTEM,
  USAGE,
  type Wish,
} from "./conversation.ts";
import { openaiSchemas } from "./openai-schemas.ts";
import { readers } from "./read-response.ts";
import { REFUSAL } from "./upstreams/fake.ts";
import { fakeAt, upstreams } from "./upstreams/index.ts";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const DATA_URI = `data:image/png;base64,${IMAGE}`;
/** One letter comes in one piece. */
const WORDS = "雨";
const BROKE = "The machine fell over";
const CALLED: Answer = { thought: "", text: "Let me look.", calls: [GHENT], finish: "tool_calls", usage: USAGE };

type BasicName = Exclude<FeatureName, "error" | FurtherName>;
type Case = Readonly<{ wish: Wish; answer: Answer; arrives(sent: Sent): void }>;

const wishFor = (rest: Partial<Wish> = {}): Wish => ({ text: "What is the weather in Ghent?", ...rest });

function casesOf(imageUrl: string, keepsAddress: boolean): Record<BasicName, Case> {
  const expectPlainChat = (sent: Sent) => {
    expect(sent.system).toBe(SYSTEM);
    expect(sent.texts).toEqual([wishFor().text]);
  };
  const json: Answer = { ...PLAIN, text: '{"city":"Ghent","rain":true}' };
  return {
    text: { wish: wishFor(), answer: PLAIN, arrives: expectPlainChat },
    "image-data": {
      wish: wishFor({ image: DATA_URI }),
      answer: PLAIN,
      arrives: (sent) => {
        expectPlainChat(sent);
        expect(sent.images).toEqual([DATA_URI]);
      },
    },
    "image-url": {
      wish: wishFor({ image: imageUrl }),
      answer: PLAIN,
      arrives: ({ images }) => expect(images).toEqual([keepsAddress ? imageUrl : DATA_URI]),
    },
    tools: {
      wish: wishFor({ tools: true }),
      answer: CALLED,
      arrives: (sent) => {
        expectPlainChat(sent);
        expect(sent.tools).toEqual([{ name: GHENT.name, schema: PARAMETERS }]);
      },
    },
    "tool-results": {
      wish: wishFor({ tools: true, withToolResult: true }),
      answer: PLAIN,
      arrives: ({ calls, results }) => {
        expect(calls).toEqual([GHENT]);
        expect(results).toEqual([{ answers: GHENT.name, text: RESULT }]);
      },
    },
    parallel: {
      wish: wishFor({ tools: true }),
      answer: { ...CALLED, text: "", calls: [GHENT, NOWHERE, BRUGES] },
      arrives: ({ tools }) => expect(tools).toHaveLength(1),
    },
    reasoning: {
      wish: wishFor({ reasoning: true }),
      answer: { ...PLAIN, thought: "The sky of Ghent first." },
      arrives: ({ reasoning }) => expect(reasoning).toBe(true),
    },
    schema: {
      wish: wishFor({ schema: true }),
      answer: json,
      arrives: ({ schema }) => {
        const { required, properties } = SCHEMA;
        expect(schema).toMatchObject({ type: "object", required, properties });
      },
    },
    stop: {
      wish: wishFor({ stop: ["END", "\n\n"] }),
      answer: PLAIN,
      arrives: ({ stop }) => expect(stop.filter((text) => text.trim() !== "")).toEqual(["END"]),
    },
    "must-call": {
      wish: wishFor({ tools: true, mustCall: true }),
      answer: CALLED,
      arrives: ({ mustCall }) => expect(mustCall).toBe(true),
    },
    limit: {
      wish: wishFor({ limit: 300 }),
      answer: { ...PLAIN, finish: "length" },
      arrives: ({ limit }) => expect(limit).toBe(300),
    },
    usage: {
      wish: wishFor(),
      answer: { ...PLAIN, usage: { prompt: 41, cached: 0, completion: 7 } },
      arrives: expectPlainChat,
    },
    cached: {
      wish: wishFor(),
      answer: { ...PLAIN, usage: { prompt: 41, cached: 32, completion: 7 } },
      arrives: expectPlainChat,
    },
  };
}

type Speaking = Readonly<{ answer: Answer } | { refusal: string } | { words: string; break: string }>;

/** The last event is completed only when what came before it is long under way. */
function lateEnd(response: Response): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const bytes = new Uint8Array(await response.arrayBuffer());
      controller.enqueue(bytes.slice(0, -20));
      await Bun.sleep(40);
      controller.enqueue(bytes.slice(-20));
      controller.close();
    },
  });
  return new Response(body, { headers: response.headers });
}

/** What OpenAI clients receive is also judged by OpenAI's own schemas. */
const complaints = openaiSchemas();

function start(name: ProviderName) {
  const { type, model, key, ...kind } = upstreams[name];
  const state: { speaking: Speaking; sent: Sent | null } = { speaking: { answer: PLAIN }, sent: null };
  const upstream = startUpstream(({ path, headers, text }) => {
    const fake = fakeAt(name, path);
    if (!fake) return new Response("404 page not found", { status: 404 });
    const body = recordOf(parseJson(text)) ?? {};
    const objection = fake.objection(path, body);
    if (objection !== null) return fake.refuse(objection);
    state.sent = fake.read(body);
    const { speaking } = state;
    if ("answer" in speaking) return fake.speak(speaking.answer, fake.isStream(path, body, headers));
    return "refusal" in speaking
      ? fake.refuse(speaking.refusal)
      : lateEnd(fake.breakOff(speaking.words, speaking.break));
  }, kind);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  const post = async (client: ClientFormat, wish: Wish, streamed: boolean) => {
    const { path, body } = ask[client](wish, model, streamed);
    const response = await relay.post(path, body);
    const text = await response.text();
    if (client === "chat" || client === "responses") {
      expect(complaints?.(client, { status: response.status, streamed, text }) ?? []).toEqual([]);
    }
    return { response, text };
  };
  const stop = () => {
    relay.stop();
    upstream.stop();
  };
  return { state, relay, post, stop };
}

const imageServer = startUpstream(
  () => new Response(Buffer.from(IMAGE, "base64"), { headers: { "content-type": "image/png" } }),
);
afterAll(() => imageServer.stop());
const imageUrl = `${imageServer.url}/ghent.png`;

/** These take images inside the request only. */
const INLINE: readonly ProviderName[] = ["gemini", "bedrock", "converse", "ollama"];
const NAMES = Object.keys(PROVIDERS) as ProviderName[];
const ROWS = (Object.keys(FEATURES) as FeatureName[]).filter(
  (feature): feature is BasicName => feature !== "error" && !(feature in FURTHER),
);
const PAIRS = CLIENT_FORMATS.flatMap((client) => NAMES.map((name) => [client, name] as const));

describe.each(PAIRS)("%s onto %s", (client, name) => {
  let started: ReturnType<typeof start>;
  beforeAll(() => {
    started = start(name);
  });
  afterAll(() => started.stop());

  const rows = ROWS.filter((feature) => !CANNOT[name]?.[feature] && !UNSUPPORTED[client]?.includes(feature));
  test.each(rows.flatMap((feature) => [false, true].map((streamed) => [feature, streamed] as const)))(
    "%s (streamed: %p)",
    async (feature, streamed) => {
      const { state, relay, post } = started;
      const fetched = INLINE.includes(name);
      const { wish, answer, arrives } = casesOf(imageUrl, !fetched)[feature];
      state.speaking = { answer };
      state.sent = null;
      const count = relay.billing.records.length;
      const { response, text } = await post(client, wish, streamed);
      expect(response.status === 200 ? "" : text).toBe("");
      if (!state.sent) throw new Error("nothing arrived");
      arrives(state.sent);
      const body = recordOf(parseJson(text)) ?? {};
      const cached = CANNOT[name]?.cached ? 0 : answer.usage.cached;
      const received = streamed ? readers[client].stream(text) : readers[client].readReply(body);
      const record = await relay.billing.nextRecord(count + 1);
      if (CANNOT[name]?.usage) {
        // Counted here, and the client receives what was counted.
        const { promptTokens, completionTokens, other } = record;
        expect(received).toEqual({
          ...answer,
          usage: { prompt: promptTokens, cached: 0, completion: completionTokens },
        });
        expect(Math.min(promptTokens, completionTokens)).toBeGreaterThan(0);
        expect(other.usage_evidence).toBe("estimated");
        return;
      }
      expect(received).toEqual({ ...answer, usage: { ...answer.usage, cached } });
      const { prompt, completion } = answer.usage;
      expect(record).toMatchObject({ promptTokens: prompt, completionTokens: completion, isStream: streamed });
    },
  );
});

const STAYS_BEHIND = [
  ["openai-responses", "chat", { stop: ["END"] }, "stop"],
  ["openai-responses", "messages", { stop: ["END"] }, "stop_sequences"],
  ["openai-responses", "gemini", { stop: ["END"] }, "generationConfig.stopSequences"],
  ["ollama", "chat", { tools: true, mustCall: true }, "tool_choice"],
  ["ollama", "responses", { tools: true, mustCall: true }, "tool_choice"],
  ["hunyuan", "chat", { limit: 300 }, "max_tokens"],
  ["hunyuan", "responses", { schema: true }, "text.format"],
  ["qianfan", "gemini", { tools: true, mustCall: true }, "toolConfig.functionCallingConfig"],
  ["spark", "messages", { stop: ["END"] }, "stop_sequences"],
  ["chatglm", "chat", { tools: true }, "tools"],
  ["dify", "responses", { limit: 300 }, "max_output_tokens"],
  ["palm", "gemini", { image: DATA_URI }, "inlineData"],
  ["ai-proxy", "chat", {}, "system"],
  ["dashscope", "messages", { tools: true, mustCall: true }, "tool_choice"],
  ["dashscope", "responses", { tools: true, mustCall: true }, "tool_choice"],
] as const;

test.each(STAYS_BEHIND)("what %s cannot take of %s's wishes is named", async (name, client, wish, named) => {
  const { post, stop } = start(name);
  const { response } = await post(client, wishFor(wish), false);
  stop();
  expect(response.status).toBe(200);
  expect(response.headers.get("x-sluice-dropped")?.split(/, ?/)).toContain(named);
});

describe.each(PAIRS)("%s onto %s: errors", (client, name) => {
  test.each([false, true])("a rejection is sent in the client's format (streamed: %p)", async (streamed) => {
    const { state, post, stop } = start(name);
    state.speaking = { refusal: REFUSAL };
    const { response, text } = await post(client, wishFor(), streamed);
    stop();
    expect(response.status).toBe(400);
    expect(errorMessage[client](recordOf(parseJson(text)) ?? {})).toContain(REFUSAL);
  });

  // It never streams: a stream is made of its whole answer.
  if (name === "palm") return;
  test("an error within a stream ends it after the words that came", async () => {
    const { state, post, stop } = start(name);
    state.speaking = { words: WORDS, break: BROKE };
    const { text } = await post(client, wishFor(), true);
    stop();
    expect(text).toContain(WORDS);
    const last = dataOf(text).at(-1) ?? {};
    const failed = recordOf(last.response) ?? last;
    expect(JSON.stringify(failed.error ?? failed)).toContain(BROKE);
  });
});

test("a model of OpenAI's Responses is requested as a chat where a server has no Responses", async () => {
  const { read, speak } = upstreams["openai-chat"];
  const upstream = startUpstream(({ path, text }) => {
    if (path === "/v1/responses") return new Response("404 page not found", { status: 404 });
    expect(read(recordOf(parseJson(text)) ?? {}).texts).toEqual([wishFor().text]);
    return speak(PLAIN, false);
  });
  const { model } = upstreams["openai-responses"];
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  for (const paths of [["/v1/responses", "/v1/chat/completions"], ["/v1/chat/completions"]]) {
    const before = upstream.received.length;
    const { path, body } = ask.chat(wishFor(), model, false);
    const response = await relay.post(path, body);
    expect(readers.chat.readReply(recordOf(await response.json()) ?? {})).toEqual(PLAIN);
    expect(upstream.received.slice(before).map((received) => received.path)).toEqual(paths);
  }
  relay.stop();
  upstream.stop();
});
