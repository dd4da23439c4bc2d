import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/helpers/chunk-codec.ts";
import { serviceError } from "../../../formats/helpers/service-error.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { encodeRequest } from "./encode-ernie.ts";

/** Baidu Qianfan's v1 chat: the text is in `result`, errors have status 200. */
export const ernieCodec = chunkedCodec({
  dialect: "ernie",
  encodeRequest,
  reader: () => readEvent,
  isAnswer: (body) => textOf(body.result) !== null || recordOf(body.function_call) !== null,
  decodeError,
});

function readEvent(body: JsonObject): ParsedEvent {
  const usage = recordOf(body.usage);
  const call = recordOf(body.function_call);
  const last = body.is_end !== false;
  const chunk = {
    id: body.id,
    created: body.created,
    choices: [
      {
        index: 0,
        delta: { content: body.result, ...(call && { function_call: { name: call.name, arguments: call.arguments } }) },
        finish_reason: last ? finishOf(body) : null,
      },
    ],
    // The completion count of a stream's events is stale: it is derived from the total.
    usage: usage && { prompt_tokens: usage.prompt_tokens, total_tokens: countOf(usage.total_tokens) ?? 0 },
  };
  return { chunk, last };
}

function finishOf({ finish_reason, need_clear_history, is_truncated }: JsonObject): string {
  if (need_clear_history === true) return "content_filter";
  if (is_truncated === true) return "length";
  const native = textOf(finish_reason);
  return !native || native === "normal" ? "stop" : native;
}

/** HTTP statuses for Qianfan's error codes. */
const STATUSES: Readonly<Record<number, readonly number[]>> = {
  400: [336001, 336002, 336003, 336006, 336007, 336103],
  401: [13, 14, 15, 110, 111],
  403: [6],
  404: [3, 336005],
  429: [4, 17, 18, 19, 336501, 336502, 336503, 336504, 336505],
  500: [1, 336000],
  503: [2, 336100],
};

function decodeError(status: number, body: unknown): ReplyError | null {
  const { error_code: code, error_msg: message } = recordOf(body) ?? {};
  if (typeof code !== "number") return status >= 400 ? errorOf(status, body) : null;
  const known = Object.entries(STATUSES).find(([, codes]) => codes.includes(code));
  return serviceError(known ? Number(known[0]) : 502, String(code), textOf(message) ?? "");
}
