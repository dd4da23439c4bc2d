/**
 * Every recorded sample is replayed: streams and answers are read, make sense and say the same to each client format; requests
 * are read and written for each provider; errors keep their words in each client format. None is left out without a reason.
 */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec, anthropicCodec } from "../../../src/formats/anthropic/index.ts";
import type { ClientCodec, ProviderCodec } from "../../../src/formats/conversation/codec.ts";
import { stepsOf } from "../../../src/formats/conversation/collect-reply.ts";
import type { ReplyEvent } from "../../../src/formats/conversation/reply.ts";
import { geminiClientCodec, geminiCodec } from "../../../src/formats/gemini/index.ts";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../src/formats/openai-responses/index.ts";
import { dashscopeCodec } from "../../../src/providers/chinese-labs/alibaba/codec.ts";
import { ernieCodec } from "../../../src/providers/chinese-labs/baidu/ernie-codec.ts";
import { hunyuanCodec } from "../../../src/providers/chinese-labs/tencent/codec.ts";
import { sparkCodec } from "../../../src/providers/chinese-labs/xunfei/spark.ts";
import { zhipuCodec, zhipuEventsToSse } from "../../../src/providers/chinese-labs/zhipu/chatglm.ts";
import { eventStreamToSse } from "../../../src/providers/hosts/bedrock/bedrock.ts";
import { converseCodec } from "../../../src/providers/hosts/bedrock/converse-codec/index.ts";
import { cohereCodec } from "../../../src/providers/labs/cohere/codec.ts";
import { difyCodec } from "../../../src/providers/self-hosted/dify/dify.ts";
import { ollamaCodec } from "../../../src/providers/self-hosted/ollama/ollama.ts";
import {
  dataOf,
  expectSameForClients,
  expectSameForProviders,
  expectSense,
  stepsOfStream,
  written,
} from "../../support/formats/fixtures.ts";
import { samples } from "../../support/formats/reference.ts";

const CLIENTS: readonly ClientCodec[] = [
  openaiChatClientCodec,
  openaiResponsesClientCodec,
  anthropicClientCodec,
  geminiClientCodec,
];

type Transform = () => Transformer<Uint8Array, Uint8Array>;
type Rule =
  | Readonly<{ kind: "stream"; codec: ProviderCodec; text(sample: string): string | Promise<string> }>
  | Readonly<{ kind: "answer"; codec: ProviderCodec }>
  | Readonly<{ kind: "request"; client: ClientCodec }>
  | Readonly<{ kind: "error"; codec: ProviderCodec; status: number }>
  /** Not a chat, or nothing that is read here. */
  | Readonly<{ kind: "skipped"; why: string }>;

const through = (transform: Transform) => (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new TransformStream(transform()))).text();
const asEvents = (lines: string): string =>
  lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => `data: ${line}\n\n`)
    .join("");

const stream = (
  codec: ProviderCodec,
  text: (sample: string) => string | Promise<string> = (sample) => sample,
): Rule => ({
  kind: "stream",
  codec,
  text,
});
const lines = (codec: ProviderCodec): Rule => stream(codec, asEvents);
const frames = (codec: ProviderCodec): Rule =>
  stream(codec, (sample) => through(eventStreamToSse)(Buffer.from(sample, "base64")));
const answer = (codec: ProviderCodec): Rule => ({ kind: "answer", codec });
const request = (client: ClientCodec): Rule => ({ kind: "request", client });
const error = (codec: ProviderCodec, status = 400): Rule => ({ kind: "error", codec, status });
const notReplayed = (why: string): Rule => ({ kind: "skipped", why });

const OTHER_ENDPOINT = notReplayed("no chat: the endpoint that it belongs to replays answers, and writes requests");
const TASKS = notReplayed("an order: the tests of tasks hold the services' own answers");
const BETWEEN = notReplayed("a list, a count or a key that the gateway asks for itself, or makes itself");
const SHAPE = notReplayed(
  "what a service is sent in a format that no client format has: the fakes of the matrix hold requests to it",
);
const OTHER_API = notReplayed("an API of the service's that is not asked");

/** The first that fits counts. */
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^(midjourney|suno)\//, TASKS],
  [/^(cohere|ollama)\/embeddings|^(bedrock\/rerank|tencent\/image_generation)/, OTHER_API],
  [/\/realtime/, notReplayed("events of a socket: the realtime tests cover these sessions")],
  [/\/(count_tokens\.response|responses\.input_tokens\.response|v1\.token|models|tags)/, BETWEEN],
  [/^(jina|siliconflow|xinference)\//, OTHER_ENDPOINT],
  [/^tencent\/image\.response/, answer(hunyuanCodec)],
  [/\/(embeddings|rerank|image|moderation|transcription|translation|completion)\./, OTHER_ENDPOINT],
  [/\.frames\.jsonl$/, notReplayed("the frames of the binary stream next to it, unpacked")],
  [/^cohere\/chat\.v1/, OTHER_API],
  [/^cloudflare\/run\.chat/, OTHER_API],

  [/^(tencent|ollama\/chat|dify|xunfei|cohere|dashscope|bedrock\/converse).*request\.json$/, SHAPE],
  [/^(anthropic|bedrock\/invoke).*request\.json$/, request(anthropicClientCodec)],
  [/^(gemini|vertex).*request\.json$/, request(geminiClientCodec)],
  [/\/responses.*request\.json$/, request(openaiResponsesClientCodec)],
  [/request\.json$/, request(openaiChatClientCodec)],

  [/^anthropic\/error.*\.json$/, error(anthropicCodec)],
  [/^gemini\/error/, error(geminiCodec)],
  [/^bedrock\/error/, error(converseCodec)],
  [/^baidu\/v1\.error/, error(ernieCodec, 200)],
  [/^tencent\/error/, error(hunyuanCodec, 200)],
  [/^cohere\/error/, error(cohereCodec)],
  [/^dify\/error/, error(difyCodec)],
  [/^ollama\/error\.json/, error(ollamaCodec)],
  [/error.*\.json$/, error(openaiChatCodec)],

  [/^bedrock\/invoke.*b64$/, frames(anthropicCodec)],
  [/^bedrock\/invoke.*jsonl$/, lines(anthropicCodec)],
  [/^bedrock\/invoke.*response\.json$/, answer(anthropicCodec)],
  [/^bedrock\/.*b64$/, frames(converseCodec)],
  [/^bedrock\/.*response\.json$/, answer(converseCodec)],
  [/^ollama\/openai_compat.*response\.json$/, answer(openaiChatCodec)],
  [/^ollama\/.*ndjson$/, lines(ollamaCodec)],
  [/^ollama\/.*response\.json$/, answer(ollamaCodec)],
  [/^cohere\/.*sse$/, stream(cohereCodec)],
  [/^cohere\/.*response\.json$/, answer(cohereCodec)],
  [/^dashscope\/native.*sse$/, stream(dashscopeCodec)],
  [/^dify\/.*sse$/, stream(difyCodec)],
  [/^dify\/.*response\.json$/, answer(difyCodec)],
  [/^tencent\/openai_face.*sse$/, stream(openaiChatCodec)],
  [/^tencent\/.*sse$/, stream(hunyuanCodec)],
  [/^tencent\/.*response\.json$/, answer(hunyuanCodec)],
  [/^baidu\/v1.*sse$/, stream(ernieCodec)],
  [/^baidu\/v1.*response\.json$/, answer(ernieCodec)],
  [/^xunfei\/chat\.ws\.jsonl$/, lines(sparkCodec)],
  [/^xunfei\/chat\.ws\.last/, stream(sparkCodec, (sample) => asEvents(JSON.stringify(JSON.parse(sample))))],
  [/^zhipu\/v3.*sse$/, stream(zhipuCodec, (sample) => through(zhipuEventsToSse)(Buffer.from(sample)))],
  [/^(anthropic\/|.*\/messages\.).*sse$/, stream(anthropicCodec)],
  [/^(anthropic\/|.*\/messages\.).*response\.json$/, answer(anthropicCodec)],
  [/^(gemini|vertex)\/.*sse$/, stream(geminiCodec)],
  [/^(gemini|vertex)\/.*response\.json$/, answer(geminiCodec)],
  [/\/responses\..*sse$/, stream(openaiResponsesCodec)],
  [/\/responses\..*response\.json$/, answer(openaiResponsesCodec)],
  [/sse$/, stream(openaiChatCodec)],
  [/response\.json$/, answer(openaiChatCodec)],
];

const ruleOf = (path: string): Rule | null => RULES.find(([pattern]) => pattern.test(path))?.[1] ?? null;

/** The same to every client; an error is one in each, with its words. */
function expectForAllClients(steps: readonly ReplyEvent[]): void {
  expectSense(steps);
  expectSameForClients(steps);
  const failed = steps.find((step) => step.type === "error");
  const media = steps.filter((step) => step.type === "media");
  for (const client of CLIENTS) {
    for (const { source } of media)
      expect(written(client, steps)).toContain(source.kind === "base64" ? source.data : source.url);
    if (!failed) continue;
    const encoder = client.streamEncoder(
      { model: "m", requestId: "r", createdAt: 7, newId: (prefix) => `${prefix}1` },
      {
        ...client.decodeRequest(REQUESTS[client.dialect] ?? {}),
      },
    );
    const text = steps.map((step) => encoder.push(step)).join("");
    expect(JSON.stringify(dataOf(text))).toContain(JSON.stringify(failed.error.message).slice(1, -1));
  }
}

const REQUESTS: Readonly<Record<string, Record<string, unknown>>> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "q" }] },
  "openai-responses": { model: "m", input: "q" },
  anthropic: { model: "m", max_tokens: 5, messages: [{ role: "user", content: "q" }] },
  gemini: { contents: [{ parts: [{ text: "q" }] }] },
};

async function replay(rule: Rule, sample: string): Promise<void> {
  switch (rule.kind) {
    case "stream": {
      const steps = stepsOfStream(rule.codec, await rule.text(sample));
      expect(steps.some(({ type }) => type === "finish" || type === "error")).toBe(true);
      return expectForAllClients(steps);
    }
    case "answer": {
      const reply = rule.codec.decodeReply(recordOf(parseJson(sample)) ?? {});
      if (!reply) throw new Error("it is not read as an answer");
      return expectForAllClients([...stepsOf(reply)]);
    }
    case "request": {
      const conversation = rule.client.decodeRequest(recordOf(parseJson(sample)) ?? {});
      expect(conversation.turns.length).toBeGreaterThan(0);
      return expectSameForProviders(conversation);
    }
    case "error": {
      const read = rule.codec.decodeError(rule.status, parseJson(sample));
      if (!read) throw new Error("it is not read as an error");
      // Some send it twice: in general words, followed by the message of their own provider.
      const words = JSON.stringify(read.message).slice(1, -1);
      const [general = "", ...further] = words.split(": ");
      const pieces = sample.includes(words) ? [words] : [general, further.join(": ")];
      for (const piece of pieces) expect(sample).toContain(piece);
      expect(read.status).toBeGreaterThanOrEqual(400);
      for (const client of CLIENTS)
        expect(JSON.stringify(client.encodeError(read, "r"))).toContain(JSON.stringify(read.message).slice(1, -1));
      return;
    }
    case "skipped":
      return;
  }
}

const ALL = samples(() => true).map(([path, text]) => [path, text, ruleOf(path)] as const);
const replayed = ALL.flatMap(([path, text, rule]) =>
  rule && rule.kind !== "skipped" ? [[`${rule.kind}: ${path}`, rule, text] as const] : [],
);

describe.skipIf(ALL.length === 0)("recorded samples", () => {
  test.each(replayed)("%s", (_name, rule, text) => replay(rule, text));

  test(`of ${ALL.length} samples ${replayed.length} are replayed here, and each of the others has a reason`, () => {
    expect(ALL.filter(([, , rule]) => rule === null).map(([path]) => path)).toEqual([]);
    expect(replayed.length).toBeGreaterThanOrEqual(185);
    // A rule that nothing falls under any more hides what it once meant.
    const usedRules = new Set(ALL.map(([path]) => RULES.find(([pattern]) => pattern.test(path))?.[0]));
    expect(RULES.map(([pattern]) => pattern).filter((pattern) => !usedRules.has(pattern))).toEqual([]);
  });
});
