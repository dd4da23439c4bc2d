import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/helpers/chunk-codec.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { serviceError } from "../../../formats/helpers/service-error.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";

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
