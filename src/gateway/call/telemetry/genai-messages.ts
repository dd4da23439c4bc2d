import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { collectEvents, type Reply } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation, MediaPart, Part } from "../../../formats/conversation/conversation.ts";
import type { FinishReason } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";

/**
 * Messages as OpenTelemetry's conventions for generative AI have them: `[{role, parts: [{type, …}]}]`
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/).
 */

/** Characters of all texts of an attribute together. */
const MAX_CHARACTERS = 65_536;

/** A response in a client's format, complete or the text of its events, as far as it came; null: it is none. */
export function answerOf(codec: ProviderCodec, text: string): Reply | null {
  const complete = parseJson(text);
  if (complete !== undefined) {
    const answer = recordOf(complete);
    return answer && codec.decodeReply(answer);
  }
  return collectEvents(codec, text, (prefix) => prefix).collector.reply;
}

/** The attributes of what a request says. `body`: the request, where it is no chat. */
export function inputAttributes(conversation: Conversation | null, body: JsonObject): Record<string, string> {
  if (!conversation) {
    const content = body.prompt ?? body.input;
    if (content === undefined) return {};
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return { "gen_ai.input.messages": written([{ role: "user", parts: [{ type: "text", content: text }] }]) };
  }
  const { system, turns, extra } = conversation;
  const instructions = system.flatMap(partsOf);
  // In chats of OpenAI's format, instructions are messages; others state them apart.
  const isMessage = extra.dialect === "openai-chat" && instructions.length > 0;
  const messages = turns.map(({ role, parts }) => ({ role: roleOf(role, parts), parts: parts.flatMap(partsOf) }));
  return {
    "gen_ai.input.messages": written(isMessage ? [{ role: "system", parts: instructions }, ...messages] : messages),
    ...(instructions.length > 0 && !isMessage && { "gen_ai.system_instructions": written(instructions) }),
  };
}

/** The attribute of what a model answers. */
export const outputAttributes = ({ choices }: Reply): Record<string, string> => ({
  "gen_ai.output.messages": written(
    choices.map(({ parts, finish }) => ({
      role: "assistant",
      parts: parts.flatMap(partsOf),
      finish_reason: finishName(finish.reason),
    })),
  ),
});

/** Why each choice ended, in the conventions' words. */
export const finishReasonsOf = ({ choices }: Reply): string[] => choices.map(({ finish }) => finishName(finish.reason));

const finishName = (reason: FinishReason): string => (reason === "tool_calls" ? "tool_call" : reason);

/** A turn of results alone is the tool's. */
const roleOf = (role: string, parts: readonly Part[]): string =>
  role === "user" && parts.length > 0 && parts.every(({ type }) => type === "tool-result") ? "tool" : role;

function partsOf(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", content: part.text }];
    case "reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", content: part.text }];
    case "tool-call":
      return [{ type: "tool_call", id: part.id, name: part.name, arguments: parseJson(part.input) ?? part.input }];
    case "tool-result":
      return [{ type: "tool_call_response", id: part.callId, response: part.parts.flatMap(partsOf) }];
    case "native":
      return [{ type: part.name }];
    default:
      return [mediaPart(part)];
  }
}

/** Media by their kind and place; their bytes are not exported. */
function mediaPart({ type: modality, source }: MediaPart): JsonObject {
  switch (source.kind) {
    case "base64":
      return { type: "blob", modality, mime_type: source.mediaType, content: "" };
    case "url":
      return { type: "uri", modality, uri: source.url };
    case "file":
      return { type: "file", modality, file_id: source.id };
    case "text":
      return { type: "text", content: source.text };
  }
}

/** The value as JSON; where its texts are too long together, each is cut to its share. */
function written(value: unknown): string {
  const complete = JSON.stringify(value);
  if (complete.length <= MAX_CHARACTERS) return complete;
  let texts = 0;
  JSON.stringify(value, (_name, inner) => {
    if (typeof inner === "string") texts += 1;
    return inner;
  });
  const most = Math.floor(MAX_CHARACTERS / texts);
  return JSON.stringify(value, (_name, inner) =>
    typeof inner === "string" && inner.length > most ? `${inner.slice(0, most)}…` : inner,
  );
}
