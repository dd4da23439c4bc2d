import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, ToolChoice } from "../../../formats/conversation/conversation.ts";
import { NO_REASONING } from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { isSilent } from "../../../formats/helpers/silent-messages.ts";
import { compact, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { REASONING_MEMBERS } from "../../../formats/openai-chat/request/reasoning-setting.ts";
import { pairCalls } from "../../../formats/tools/pair-calls.ts";
import { extractSearch } from "../../../formats/tools/web-search.ts";

const SUPPORTED_FIELDS = ["temperature", "top_p", "seed", "stop", "tools", "tool_choice", ...REASONING_MEMBERS];
/** Fields of Hunyuan that clients may set, in the casing of its SDK. */
const OWN = ["EnableEnhancement", "SearchInfo", "Citation", "StreamModeration", "WebSearchOptions"];
const MAX_SEED = 10_000;

/**
 * Writes a request for Tencent's ChatCompletions: turns alternate and are never empty. Source:
 * https://cloud.tencent.com/document/api/1729/105701
 */
function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { searches, rest: conversation } = extractSearch(source, "hunyuan", dropped);
  const turns = pairCalls(conversation.turns, target.newId);
  const chat = encodeChat({ ...conversation, turns, reasoning: NO_REASONING }, target, dropped);
  const { sampling, extra, reasoning, toolChoice } = conversation;
  const own = extra.dialect === "openai-chat" ? OWN.map((name) => [name, extra.members[name]]) : [];
  recordDropped(chat, [...SUPPORTED_FIELDS, ...OWN], dropped);
  const tools = toolsOf(recordsOf(chat.tools), toolChoice, dropped);
  return compact({
    ...Object.fromEntries(own),
    ...(searches && { EnableEnhancement: searches, SearchInfo: true }),
    Model: target.model,
    Messages: alternating(recordsOf(chat.messages).flatMap((message) => messageOf(message, dropped))),
    Stream: conversation.stream,
    Temperature: clamp(sampling.temperature, 0, 2),
    TopP: clamp(sampling.topP, 0, 1),
    Seed: sampling.seed === null ? null : Math.abs(sampling.seed) % MAX_SEED,
    Stop: sampling.stop.length > 0 ? sampling.stop : null,
    Tools: tools,
    ...(tools && choiceOf(toolChoice, tools, dropped)),
    EnableThinking: reasoning.setting && reasoning.setting.type !== "off",
  });
}

const clamp = (value: number | null, least: number, most: number): number | null =>
  value === null ? null : Math.min(most, Math.max(least, value));

function messageOf(source: JsonObject, dropped: Dropped): JsonObject[] {
  const { role, content, tool_calls, tool_call_id } = source;
  const calls = recordsOf(tool_calls).map((call) => {
    const called = recordOf(call.function) ?? recordOf(call.custom) ?? {};
    const input = textOf(called.arguments) ?? JSON.stringify({ input: called.input });
    return { Id: call.id, Type: "function", Function: { Name: called.name, Arguments: input || "{}" } };
  });
  const parts = Array.isArray(content) ? recordsOf(content).flatMap((part) => partOf(part, dropped)) : null;
  if (isSilent({ role, content: parts ?? content, tool_calls }, source)) return [];
  return [
    compact({
      Role: role,
      // A client's own empty turn, and one that only calls tools, must say something: a blank does.
      Content: parts && parts.length > 0 ? null : textOf(content) || textOf(source.refusal) || " ",
      Contents: parts && parts.length > 0 ? parts : null,
      ToolCalls: calls.length > 0 ? calls : null,
      ToolCallId: tool_call_id,
    }),
  ];
}

/** Turns of one author next to each other, between which one was left out, become one. */
function alternating(messages: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (!before || before.Role !== message.Role || message.Role === "tool" || before.ToolCalls) joined.push(message);
    else joined.splice(-1, 1, { ...before, ...message, ...contentOf(partsOf(before), partsOf(message)) });
  }
  return joined;
}

const partsOf = ({ Content, Contents }: JsonObject): JsonObject[] =>
  Contents ? recordsOf(Contents) : [{ Type: "text", Text: Content }];

/** The parts of two messages in one: as plain text where there is nothing else. */
function contentOf(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject {
  const parts = [...first, ...second];
  const isText = parts.every(({ Type }) => Type === "text");
  return isText
    ? { Content: parts.map(({ Text }) => Text).join("\n"), Contents: undefined }
    : { Content: undefined, Contents: parts };
}

function partOf(part: JsonObject, dropped: Dropped): JsonObject[] {
  if (part.type === "text") return [{ Type: "text", Text: part.text }];
  const image = textOf(recordOf(part.image_url)?.url);
  if (image !== null) return [{ Type: "image_url", ImageUrl: { Url: image } }];
  const video = textOf(recordOf(part.video_url)?.url);
  if (video !== null) return [{ Type: "video_url", VideoUrl: { Url: video } }];
  dropped.add(textOf(part.type) ?? "content");
  return [];
}

/** Schemas are sent as text. If the request allows only some tools, the others are left out. */
function toolsOf(tools: readonly JsonObject[], choice: ToolChoice | null, dropped: Dropped): JsonObject[] | null {
  const allowed = choice?.type === "allowed" ? choice.names : null;
  const written = tools.flatMap((tool): JsonObject[] => {
    const called = recordOf(tool.function);
    if (!called) {
      dropped.add(`tools: ${textOf(tool.type) ?? "tool"}`);
      return [];
    }
    const { name, description, parameters, strict } = called;
    if (strict === true) dropped.add("strict");
    if (allowed && !allowed.includes(textOf(name) ?? "")) return [];
    const spec = compact({ Name: name, Description: description, Parameters: JSON.stringify(parameters) });
    return [{ Type: "function", Function: spec }];
  });
  return written.length > 0 ? written : null;
}

/** One specific tool can be forced, but not "any tool". */
function choiceOf(choice: ToolChoice | null, tools: readonly JsonObject[], dropped: Dropped): JsonObject {
  if (!choice) return {};
  if (choice.type === "none" || choice.type === "auto") return { ToolChoice: choice.type };
  const names = tools.map((tool) => textOf(recordOf(tool.Function)?.Name));
  const demanded = choice.type === "tool" ? choice.name : names.length === 1 ? names[0] : null;
  const custom = tools.find((tool) => recordOf(tool.Function)?.Name === demanded);
  const isDemand = choice.type !== "allowed" || choice.mode === "required";
  if (isDemand && custom) return { ToolChoice: "custom", CustomTool: custom };
  if (isDemand) dropped.add("tool_choice");
  return { ToolChoice: "auto" };
}

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
