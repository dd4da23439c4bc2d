import { type JsonObject, numberOf, recordOf, textOf } from "../../../src/formats/json.ts";
import { eventStreamToSse } from "../../../src/providers/hosts/bedrock/bedrock.ts";
import { listReference, referenceJson } from "../../support/formats/reference.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import type { AnswerFormat } from "./read-answer.ts";

/** An exchange with a service that somebody recorded, ready to be replayed. */
export type Recording = Readonly<{
  path: string;
  /** The channel type that calls the service there. */
  type: number;
  model: string;
  /** The path of the call at the service. */
  url: string;
  /** What kind of call it is; null: none that the gateway makes for a client. */
  kind: AnswerFormat | "embeddings" | "rerank" | "models" | "speech" | null;
  status: number;
  request: JsonObject;
  streams: boolean;
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as text; binary event streams as events. */
  text: string;
}>;

const TYPES: Readonly<Record<string, number>> = {
  "azure-foundry": 1,
  "bedrock-converse": 1007,
  "bedrock-invoke": 33,
  "bedrock-mantle": 1,
  deepseek: 43,
  glm: 26,
  groq: 1000,
  huggingface: 1005,
  mistral: 42,
  moonshot: 25,
  openrouter: 20,
  perplexity: 1003,
  qwen: 17,
  together: 1001,
  vertex: 41,
  "vllm-like": 1006,
  voyage: 1016,
  xai: 48,
};
const OPENAI = 1;
const CONVERSE = 1007;

const KINDS: readonly (readonly [RegExp, NonNullable<Recording["kind"]>])[] = [
  [/\/chat\/completions/, "chat"],
  [/\/responses$/, "responses"],
  [/\/converse(-stream)?$/, "converse"],
  [/\/invoke(-with-response-stream)?$|:rawPredict$/, "messages"],
  [/enerateContent/, "gemini"],
  [/\/generation$/, "dashscope"],
  [/\/embeddings$/, "embeddings"],
  [/\/rerank$/, "rerank"],
  [/\/models$/, "models"],
  [/\/audio\/speech$/, "speech"],
];

const modelIn = (url: string): string => decodeURIComponent(/\/models?\/([^/:?]+(:\d+)?)/.exec(url)?.[1] ?? "m");

/** Every recording of the reference; none without the folder. */
export const recordings: readonly Recording[] = await Promise.all(
  listReference("recorded")
    .filter((path) => path.endsWith(".json"))
    .toSorted()
    .map(async (path): Promise<Recording> => {
      const recorded = referenceJson(`recorded/${path}`);
      const [folder = ""] = path.split("/");
      const url = (textOf(recorded.url) ?? "").split("\n")[0] ?? "";
      const request = recordOf(recorded.request) ?? {};
      const kind = KINDS.find(([pattern]) => pattern.test(url))?.[1] ?? null;
      const binary = textOf(recorded.response_base64);
      // DashScope's recordings have lost the blank lines between events.
      const response = (textOf(recorded.response) ?? "").replace(/\n+(?=id:\d+\nevent:)/g, "\n\n");
      const bytes = new Uint8Array(binary === null ? Buffer.from(response) : Buffer.from(binary, "base64"));
      const decoded = new Response(new Blob([bytes]).stream().pipeThrough(new TransformStream(eventStreamToSse())));
      const contentType = textOf(recorded.content_type) ?? "";
      return {
        ...{ path, url, kind, request, bytes, contentType },
        type: typeAt(folder, kind),
        model: textOf(request.model) ?? modelIn(url),
        status: numberOf(recorded.status) ?? 0,
        streams: contentType.includes("event"),
        text: binary === null ? response : await decoded.text(),
      };
    }),
);

/** Services whose newer APIs a channel of OpenAI's type calls, and models that others serve. */
function typeAt(folder: string, kind: Recording["kind"]): number {
  if (kind === "converse") return CONVERSE;
  if (kind === "responses" || (folder === "qwen" && kind === "chat")) return OPENAI;
  return TYPES[folder] ?? 0;
}

/** Paths at which an upstream that speaks the format is called. */
const PATHS: Readonly<Record<AnswerFormat, RegExp>> = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  messages: /\/messages$|\/invoke|awPredict$|:generateContent$/,
  gemini: /enerateContent$/,
  converse: /\/converse/,
  dashscope: /\/generation$/,
};

/** A relay before an upstream that answers as recorded; in another format it has nothing. */
export function startRecorded({ type, model, kind, status, bytes, contentType }: Recording) {
  const isAnswered = (path: string) => !Object.hasOwn(PATHS, kind ?? "") || PATHS[kind as AnswerFormat].test(path);
  const upstream = startUpstream(({ path }) =>
    isAnswered(path)
      ? new Response(bytes, { status, headers: { "content-type": contentType } })
      : new Response("Not Found", { status: 404 }),
  );
  const keys = [type === 33 || type === CONVERSE ? "key|us-east-1" : "key"];
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  const stop = () => {
    relay.stop();
    upstream.stop();
  };
  return { relay, upstream, stop, isAnswered: () => isAnswered(upstream.received.at(-1)?.path ?? "") };
}
