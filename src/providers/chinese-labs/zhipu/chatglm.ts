import { SignJWT } from "jose";
import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { compact, type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { completeEventsLength } from "../../../lib/http/sse.ts";
import { resolveBase } from "../../contract/base-address.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { GLM_REASONING, ZHIPU_ADDRESSES } from "./glm.ts";

/**
 * Writes a request for Zhipu's v3 API; system instructions become a first exchange of messages. Source:
 * https://open.bigmodel.cn/dev/api
 */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  recordDropped(encodeChat({ ...conversation, turns: [] }, target, dropped), ["temperature", "top_p"], dropped);
  const { temperature, topP } = conversation.sampling;
  const system = systemText(conversation);
  const before = [
    { role: "system", content: system },
    { role: "user", content: "Okay" },
  ];
  return compact({
    prompt: [
      ...(system === null ? [] : before),
      ...flattenTurns(conversation, dropped).map(({ role, text }) => ({ role, content: text })),
    ],
    // Both 0 and 1 are rejected.
    temperature: temperature === null ? null : Math.min(1, Math.max(0.01, temperature)),
    top_p: topP === null ? null : Math.min(0.99, Math.max(0.01, topP)),
    incremental: conversation.stream ? true : null,
  });
}

/** Events carry plain text; `meta` of the last event has the usage. */
function readEvent(body: JsonObject, event: string): ParsedEvent {
  const data = recordOf(body.data);
  if (data) {
    const parts = recordsOf(data.choices).map(({ content }) => {
      const quoted = textOf(content) ?? "";
      return textOf(parseJson(quoted)) ?? quoted;
    });
    return { chunk: chunkOf(parts.join(""), "stop", data.usage), last: true };
  }
  const text = textOf(body.text) ?? "";
  if (event === "finish" || event === "interrupted") {
    const usage = recordOf(recordOf(body.meta)?.usage);
    return { chunk: chunkOf(text, event === "finish" ? "stop" : "content_filter", usage), last: true };
  }
  return { chunk: chunkOf(text, null, null), last: false };
}

const chunkOf = (content: string, finish: string | null, usage: unknown): JsonObject => ({
  id: "chatglm",
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  usage,
});

const STATUSES: readonly (readonly [number, number, number])[] = [
  [1000, 1099, 401],
  [1100, 1199, 403],
  [1200, 1260, 400],
  [1261, 1261, 400],
  [1300, 1301, 400],
  [1302, 1399, 429],
];

/** Failures are responses with status 200, or events. */
function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  if (answer?.event === "error") return serviceError(502, null, textOf(answer.text) ?? "");
  if (answer?.success !== false) return status >= 400 ? errorOf(status, body) : null;
  const code = numberOf(answer.code) ?? Number(answer.code);
  const known = STATUSES.find(([from, to]) => code >= from && code <= to);
  return serviceError(known?.[2] ?? 502, String(code), textOf(answer.msg) ?? "");
}

/** Zhipu's v3 API for older ChatGLM models. */
export const zhipuCodec = chunkedCodec({
  dialect: "zhipu",
  encodeRequest,
  reader: () => readEvent,
  isAnswer: (body) => Array.isArray(recordOf(body.data)?.choices),
  decodeError,
});

/**
 * Converts Zhipu's v3 events to events with JSON data: their data is plain text whose lines are lines of the answer,
 * and the last event has the usage in a field of its own. `event`, `text` and `meta` become members of the data.
 */
export function zhipuEventsToSse(): Transformer<Uint8Array, Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  const emit = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    const text = Buffer.from(bytes).toString("utf8").replace(/\r\n?/g, "\n");
    const events = text.split("\n\n").flatMap((event) => asJson(event) ?? []);
    if (events.length > 0) controller.enqueue(Buffer.from(events.join("")));
  };
  return {
    transform(bytes, controller) {
      rest = rest.length === 0 ? bytes.slice() : Buffer.concat([rest, bytes]);
      const length = completeEventsLength(rest);
      if (length === 0) return;
      emit(rest.subarray(0, length), controller);
      rest = rest.subarray(length);
    },
    flush: (controller) => emit(rest, controller),
  };
}

function asJson(event: string): string | null {
  // Errors are plain JSON, even if a stream was requested.
  if (event.trimStart().startsWith("{")) return `data: ${event.replaceAll("\n", " ").trim()}\n\n`;
  const fields = new Map<string, string[]>();
  for (const line of event.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    fields.set(name, [...(fields.get(name) ?? []), line.slice(colon + 1)]);
  }
  const name = fields.get("event")?.[0]?.trim();
  // The v4 API streams standard events.
  if (!name) return event.trim() === "" ? null : `${event}\n\n`;
  // The data begins right after the colon: a space there belongs to the answer.
  const data = {
    event: name,
    text: fields.get("data")?.join("\n") ?? "",
    meta: parseJson(fields.get("meta")?.[0] ?? ""),
  };
  return `event: ${name}\ndata: ${JSON.stringify(compact(data))}\n\n`;
}

const LIFE_MS = 300_000;
/** Models of the v3 API; all others are called by v4, which has OpenAI's format. */
const OLD = /^chatglm_/;

const v4Api = openAiCompatible({
  type: 16,
  name: "Zhipu ChatGLM",
  owner: "zhipu",
  baseUrl: ZHIPU_ADDRESSES.fallback,
  capabilities: ["chat", "embeddings"],
  keyHint: "id.secret",
  models: ["glm-4.6", "glm-4.5", "glm-4.5-air", "chatglm_turbo", "chatglm_pro", "chatglm_std", "chatglm_lite"],
  facts: {
    documented: { source: "https://open.bigmodel.cn/dev/api", version: "v3" },
    chat: { reasoning: GLM_REASONING },
    requests: { topP: [0.01, 0.99] },
    addresses: ZHIPU_ADDRESSES,
    errors: { no_credit: [{ code: "1113" }], context_overflow: [{ code: "1261" }] },
  },
});

/** Zhipu's older API: the key signs a short-lived token. Older models use their own format, newer ones the v4 API. */
export const chatglm: Provider = {
  ...v4Api,
  url(channel, params) {
    if (params.dialect !== "zhipu" || params.capability !== "chat") return v4Api.url(channel, params);
    const { service } = resolveBase(channel.baseUrl, ZHIPU_ADDRESSES);
    return `${service}/api/paas/v3/model-api/${encodeURIComponent(params.model)}/${params.stream ? "sse-invoke" : "invoke"}`;
  },
  authHeaders: (channel, key, params): Record<string, string> =>
    key.includes(".") && params ? {} : v4Api.authHeaders(channel, key, params),
  chat: chatApi({
    ...v4Api.chat,
    formats: ["zhipu", "openai-chat"],
    codec: zhipuCodec,
    formatOf: (model) => (OLD.test(model) ? "zhipu" : "openai-chat"),
    streaming: { framing: zhipuEventsToSse, framedFormat: "zhipu" },
  }),
  async sign({ url }, _channel, key, { nowSeconds }) {
    const token = await signedToken(key, nowSeconds() * 1000);
    // The v3 API expects the token without "Bearer".
    return token === null ? {} : { headers: { authorization: url.includes("/v3/") ? token : `Bearer ${token}` } };
  },
};

/** A token signed with the secret of `id.secret`, with times in milliseconds; null for other kinds of keys. */
async function signedToken(key: string, nowMs: number): Promise<string | null> {
  const [id = "", secret = ""] = key.split(".");
  if (secret === "") return null;
  return new SignJWT({ api_key: id, exp: nowMs + LIFE_MS, timestamp: nowMs })
    .setProtectedHeader({ alg: "HS256", sign_type: "SIGN" })
    .sign(new TextEncoder().encode(secret));
}
