import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/helpers/chunk-codec.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { serviceError } from "../../../formats/helpers/service-error.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { encodeRequest } from "./encode-request.ts";

/** Tencent's ChatCompletions: OpenAI's chat in PascalCase. Complete responses are wrapped, stream events are not. */
export const hunyuanCodec = chunkedCodec({
  dialect: "hunyuan",
  encodeRequest,
  reader,
  isAnswer: (body) => Array.isArray((recordOf(body.Response) ?? body).Choices),
  decodeError,
});

/** Search results are repeated in every event. */
function reader(): (body: JsonObject) => ParsedEvent {
  let cited = false;
  return (body) => {
    const annotations = cited ? [] : foundBy(recordOf((recordOf(body.Response) ?? body).SearchInfo));
    cited ||= annotations.length > 0;
    return readEvent(body, annotations);
  };
}

const foundBy = (search: JsonObject | null): JsonObject[] =>
  recordsOf(search?.SearchResults).map(({ Title, Url }) => ({
    type: "url_citation",
    url_citation: { url: Url, title: Title },
  }));

function readEvent(body: JsonObject, annotations: readonly JsonObject[]): ParsedEvent {
  const answer = recordOf(body.Response) ?? body;
  const choices = recordsOf(answer.Choices);
  const usage = recordOf(answer.Usage);
  const chunk = {
    id: textOf(answer.Id) ?? answer.RequestId,
    created: answer.Created,
    choices: choices.map((choice, index) => ({
      index: choice.Index ?? index,
      delta: { ...deltaOf(recordOf(choice.Delta) ?? recordOf(choice.Message) ?? {}), annotations },
      finish_reason: textOf(choice.FinishReason) || null,
    })),
    usage: usage && {
      prompt_tokens: usage.PromptTokens,
      completion_tokens: usage.CompletionTokens,
      total_tokens: usage.TotalTokens,
    },
  };
  return { chunk, last: choices.some(({ FinishReason }) => textOf(FinishReason)) };
}

const deltaOf = ({ Content, ReasoningContent, ToolCalls }: JsonObject): JsonObject => ({
  content: Content,
  reasoning_content: textOf(ReasoningContent) || null,
  tool_calls: recordsOf(ToolCalls).map((call) => {
    const called = recordOf(call.Function) ?? {};
    return compact({
      index: call.Index,
      id: call.Id,
      type: "function",
      function: compact({ name: called.Name, arguments: called.Arguments }),
    });
  }),
});

/** Errors have status 200; inside a stream they are in `ErrorMsg`. */
function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(recordOf(body)?.Response) ?? recordOf(body);
  const error = recordOf(answer?.Error);
  if (error) return toReplyError(textOf(error.Code) ?? "", textOf(error.Message) ?? "");
  const inner = recordOf(answer?.ErrorMsg);
  if (inner) return serviceError(502, inner.Code == null ? null : String(inner.Code), textOf(inner.Msg) ?? "");
  return status >= 400 ? errorOf(status, body) : null;
}

const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/^AuthFailure/, 401],
  [/LimitExceeded/, 429],
  [/^(InvalidParameter|MissingParameter|UnknownParameter|UnsupportedOperation)/, 400],
  [/ResourcePackExhausted|ResourceInsufficient/, 402],
  [/UserUnAuth|ServiceNotActivated|ServiceStop|UnauthorizedOperation/, 403],
  [/^ResourceNotFound|ModelNotFound/, 404],
  [/^InternalError/, 500],
];

const toReplyError = (code: string, message: string): ReplyError =>
  serviceError(STATUSES.find(([pattern]) => pattern.test(code))?.[1] ?? 502, code, message);
