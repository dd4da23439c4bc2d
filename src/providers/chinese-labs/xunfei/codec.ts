import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, Tool } from "../../../formats/conversation/conversation.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/helpers/chunk-codec.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { serviceError } from "../../../formats/helpers/service-error.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";

const SUPPORTED_FIELDS = ["max_tokens", "temperature", "top_k", "tools", "user"];
const MAX_TOKENS = 32_768;
/** Early versions have no system message. */
const WITHOUT_SYSTEM = /(v1\.1|v2\.1|v3\.1|lite|generalv2|generalv3)(?!\.)(-128K)?$|^SparkDesk$/i;

/**
 * Writes the only frame sent in a Spark chat. Application id and domain are added with the key. Source:
 * https://www.xfyun.cn/doc/spark/Web.html
 */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { sampling, tools, toolChoice, user } = conversation;
  recordDropped(encodeChat({ ...conversation, turns: [] }, target, dropped), SUPPORTED_FIELDS, dropped);
  const system = systemText(conversation);
  const lines = flattenTurns(conversation, dropped).map(({ role, text }) => ({ role, content: text }));
  const asTurns = [
    { role: "user", content: system },
    { role: "assistant", content: "Okay" },
  ];
  const before =
    system === null ? [] : WITHOUT_SYSTEM.test(target.model) ? asTurns : [{ role: "system", content: system }];
  const functions = toolChoice?.type === "none" ? [] : tools.flatMap((tool) => functionOf(tool, dropped));
  const { temperature, topK, maxOutputTokens } = sampling;
  return {
    header: compact({ uid: user?.slice(0, 32) }),
    parameter: {
      chat: compact({
        temperature: temperature === null ? null : Math.min(1, Math.max(0.01, temperature)),
        top_k: topK === null ? null : Math.min(6, Math.max(1, topK)),
        max_tokens: maxOutputTokens === null ? null : Math.min(MAX_TOKENS, maxOutputTokens),
      }),
    },
    payload: {
      message: { text: [...before, ...lines] },
      ...(functions.length > 0 && { functions: { text: functions } }),
    },
  };
}

function functionOf(tool: Tool, dropped: Dropped): JsonObject[] {
  if (tool.type !== "function") {
    dropped.add(`tools: ${tool.name}`);
    return [];
  }
  const { name, description, parameters, strict } = tool;
  if (strict) dropped.add("strict");
  return [compact({ name, description, parameters: parameters ?? { type: "object", properties: {} } })];
}

function readFrame(frame: JsonObject): ParsedEvent {
  const { choices, usage } = recordOf(frame.payload) ?? {};
  const header = recordOf(frame.header) ?? {};
  const deltas = recordsOf(recordOf(choices)?.text);
  const last = numberOf(recordOf(choices)?.status) === 2 || numberOf(header.status) === 2;
  const figures = recordOf(recordOf(usage)?.text);
  const chunk = {
    id: header.sid,
    choices: deltas.map((delta) => {
      const call = recordOf(delta.function_call);
      return {
        // Spark numbers the texts within a frame; a response has one choice.
        index: 0,
        delta: {
          content: delta.content,
          reasoning_content: delta.reasoning_content,
          ...(call && { function_call: { name: call.name, arguments: call.arguments } }),
        },
        finish_reason: last ? "stop" : null,
      };
    }),
    usage: figures && { prompt_tokens: figures.prompt_tokens, completion_tokens: figures.completion_tokens },
  };
  return { chunk, last };
}

/** HTTP statuses for Spark's error codes. */
const STATUSES: Readonly<Record<number, readonly number[]>> = {
  400: [10003, 10004, 10005, 10013, 10014, 10019, 10907],
  401: [10313, 11200],
  403: [10015, 10016, 11221],
  429: [10006, 10007, 10008, 11201, 11202, 11203],
};
const BLOCKED: ReadonlySet<number> = new Set([10013, 10014, 10019]);

function decodeError(status: number, body: unknown): ReplyError | null {
  const header = recordOf(recordOf(body)?.header);
  const code = numberOf(header?.code);
  if (code === null) return status >= 400 ? errorOf(status, body) : null;
  if (code === 0) return null;
  const known = Object.entries(STATUSES).find(([, codes]) => codes.includes(code));
  const name = BLOCKED.has(code) ? "content_filter" : String(code);
  return serviceError(known ? Number(known[0]) : 502, name, `${textOf(header?.message) ?? ""} (${code})`.trim());
}

/** Xunfei Spark's chat over a WebSocket: one frame is sent, each frame received is an event. */
export const sparkCodec = chunkedCodec({
  dialect: "spark",
  encodeRequest,
  reader: () => readFrame,
  isAnswer: (body) => recordOf(body.payload) !== null,
  decodeError,
});
