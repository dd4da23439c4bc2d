/** The rows of the matrix that stand in one place: each client format on each provider dialect, whole and streamed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { CANNOT, FURTHER, type FurtherName, PROVIDERS, type ProviderName, UNSUPPORTED } from "../cells.ts";
import { CLIENT_FORMATS, type ClientFormat, dataOf } from "../client-formats.ts";
import { type Answer, PLAIN } from "../conversation.ts";
import { speakCustom } from "../native-custom.ts";
import { openaiSchemas } from "../openai-schemas.ts";
import { fakeAt, upstreams } from "../upstreams/index.ts";
import { askFor, MARKS, SHELL } from "./requests.ts";
import { ADDRESS, LOGPROB, speakFurther, TEXTS } from "./responses.ts";

const complaints = openaiSchemas();
const NAMES = (Object.keys(PROVIDERS) as ProviderName[]).filter((name) => name in speakFurther);
/** What a free-text tool is called with; where functions stand for it, as their only argument. */
const COMMAND = 'echo "Gänt" \\ 🌧';
const CALLED: Answer = {
  ...PLAIN,
  text: "",
  calls: [{ name: SHELL, input: { input: COMMAND } }],
  finish: "tool_calls",
};
const ROWS = Object.keys(FURTHER) as FurtherName[];
const PAIRS = CLIENT_FORMATS.flatMap((client) => NAMES.map((name) => [client, name] as const));

function start(name: ProviderName) {
  const { type, model, key, ...kind } = upstreams[name];
  let feature: FurtherName = "document";
  const upstream = startUpstream(({ path, headers, text }) => {
    const fake = fakeAt(name, path);
    if (!fake) return new Response("404 page not found", { status: 404 });
    const body = recordOf(parseJson(text)) ?? {};
    const objection = fake.objection(path, body);
    if (objection !== null) return fake.refuse(objection);
    const streamed = fake.isStream(path, body, headers);
    const isNative = JSON.stringify(body.tools ?? null).includes('"custom"');
    if (feature === "custom")
      return isNative ? speakCustom(path, SHELL, COMMAND, streamed) : fake.speak(CALLED, streamed);
    // What was found is cited.
    const answerKind = feature === "search" ? "citations" : feature;
    return speakFurther[name]?.(answerKind, streamed, path) ?? fake.refuse("nothing to say");
  }, kind);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  return {
    async post(client: ClientFormat, requested: FurtherName, streamed: boolean) {
      feature = requested;
      const { path, body } = askFor(client, requested, model, streamed);
      const response = await relay.post(path, body);
      return { response, text: await response.text(), sent: upstream.received.at(-1)?.text ?? "" };
    },
    stop() {
      relay.stop();
      upstream.stop();
    },
  };
}

/** Texts of the answers by their number. */
function textsIn(client: ClientFormat, bodies: readonly JsonObject[]): string[] {
  const texts: string[] = [];
  for (const one of bodies.flatMap(({ choices, candidates }) => recordsOf(client === "chat" ? choices : candidates))) {
    const at = Number(one.index ?? 0);
    const parts = recordsOf(recordOf(one.content)?.parts).map(({ text }) => textOf(text) ?? "");
    const message = recordOf(one.message) ?? recordOf(one.delta);
    texts[at] = (texts[at] ?? "") + (textOf(message?.content) ?? "") + parts.join("");
  }
  return texts;
}

type Seen = (text: string, bodies: readonly JsonObject[]) => void;
const holds =
  (...pieces: (string | RegExp)[]): Seen =>
  (text) => {
    for (const piece of pieces) expect(text).toMatch(piece);
  };
const several =
  (client: ClientFormat): Seen =>
  (_text, bodies) =>
    expect(textsIn(client, bodies)).toEqual([...TEXTS]);

/** Consecutive pieces of the input of a free-text tool call. */
const commandIn = (pieces: readonly unknown[]): string => pieces.map((piece) => textOf(piece) ?? "").join("");

const calledInChat: Seen = (text, bodies) => {
  const calls = bodies
    .flatMap(({ choices }) => recordsOf(choices))
    .flatMap((choice) => recordsOf((recordOf(choice.message) ?? recordOf(choice.delta))?.tool_calls));
  expect(text).toContain(`"name":"${SHELL}"`);
  expect(commandIn(calls.map(({ custom }) => recordOf(custom)?.input))).toBe(COMMAND);
};

const calledInResponses: Seen = (_text, bodies) => {
  const [last = {}] = bodies.slice(-1);
  const [call] = recordsOf((recordOf(last.response) ?? last).output).slice(-1);
  expect(call).toMatchObject({ type: "custom_tool_call", name: SHELL, input: COMMAND });
};

const citedInChat = holds('"url_citation"', `"url":"${ADDRESS}"`);
const citedInMessages = holds(/"citations?(_delta)?"/, `"url":"${ADDRESS}"`);
const citedInGemini = holds('"groundingChunks"', `"uri":"${ADDRESS}"`);

/** How the clients of each format see what the answer contains. */
const SEEN: Readonly<Record<ClientFormat, Partial<Record<FurtherName, Seen>>>> = {
  chat: {
    custom: calledInChat,
    citations: citedInChat,
    search: citedInChat,
    several: several("chat"),
    logprobs: holds(`"token":"${TEXTS[0]}"`, `"logprob":${LOGPROB}`),
    blocked: holds('"finish_reason":"content_filter"'),
  },
  responses: {
    custom: calledInResponses,
    citations: citedInChat,
    search: citedInChat,
    logprobs: holds(`"token":"${TEXTS[0]}"`, `"logprob":${LOGPROB}`),
    blocked: holds('"status":"incomplete"', '"reason":"content_filter"'),
  },
  messages: {
    citations: citedInMessages,
    search: citedInMessages,
    blocked: holds('"stop_reason":"refusal"'),
  },
  gemini: {
    citations: citedInGemini,
    search: citedInGemini,
    several: several("gemini"),
    logprobs: holds('"logprobsResult"', `"token":"${TEXTS[0]}"`, `"logProbability":${LOGPROB}`),
    blocked: holds('"finishReason":"SAFETY"'),
  },
  interactions: {
    citations: citedInChat,
    search: citedInChat,
    blocked: holds('"status":"incomplete"'),
  },
};

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
      const { response, text, sent } = await started.post(client, feature, streamed);
      expect(response.status === 200 ? "" : text).toBe("");
      // Some client formats must name a limit.
      const limit = CANNOT[name]?.limit === undefined ? null : "max_tokens";
      const dropped = response.headers.get("x-sluice-dropped");
      expect(dropped === limit ? null : dropped).toBeNull();
      const compactly = JSON.stringify(parseJson(sent));
      for (const mark of MARKS[name]?.[feature] ?? []) expect(compactly).toContain(mark);
      SEEN[client][feature]?.(text, streamed ? dataOf(text) : [recordOf(parseJson(text)) ?? {}]);
      // OpenAI's document knows calls of free-text tools in whole chats, and not in streamed ones, where its API has them too.
      const isUnknown = client === "chat" && streamed && feature === "custom";
      if (!isUnknown && (client === "chat" || client === "responses")) {
        expect(complaints?.(client, { status: response.status, streamed, text }) ?? []).toEqual([]);
      }
    },
  );
});

const STAYS_BEHIND = [
  ["ollama", "chat", "strict", "strict"],
  ["hunyuan", "responses", "strict", "strict"],
  ["dashscope", "messages", "strict", "strict"],
  ["qianfan", "messages", "strict", "strict"],
  ["spark", "chat", "strict", "strict"],
  ["qianfan", "messages", "result-image", "image"],
  ["spark", "gemini", "result-image", "inlineData"],
  ["anthropic", "chat", "audio-input", "audio"],
  ["anthropic", "chat", "several", "n"],
  ["bedrock", "chat", "logprobs", "logprobs"],
  ["gemini", "messages", "user", "metadata.user_id"],
  ["ollama", "messages", "document", "document"],
  ["ollama", "gemini", "audio-input", "inlineData"],
  ["cohere", "gemini", "document", "inlineData"],
  ["cohere", "chat", "user", "user"],
  ["dashscope", "messages", "document", "document"],
  ["mistral", "chat", "user", "user"],
  ["openai-responses", "gemini", "several", "generationConfig.candidateCount"],
  ["openai-responses", "chat", "audio-input", "audio"],
  ["bedrock", "chat", "tier", "service_tier"],
  ["bedrock", "messages", "tier", "service_tier"],
  ["ollama", "responses", "tier", "service_tier"],
  ["anthropic", "chat", "metadata", "metadata"],
  ["gemini", "responses", "metadata", "metadata"],
  ["cohere", "chat", "metadata", "metadata"],
] as const;

test.each(STAYS_BEHIND)("what %s cannot take of %s's wishes is named: %s", async (name, client, feature, named) => {
  const { post, stop } = start(name);
  const { response } = await post(client, feature, false);
  stop();
  expect(response.status).toBe(200);
  expect(response.headers.get("x-sluice-dropped")?.split(/, ?/)).toContain(named);
});
