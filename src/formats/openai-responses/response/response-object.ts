import type { Conversation } from "../../conversation/conversation.ts";
import type { FinishReason, ReplyContext, Usage } from "../../conversation/reply.ts";
import { statedEffort } from "../../helpers/reasoning-setting.ts";
import { compact, type JsonObject } from "../../json.ts";
import { textOfParts } from "../../media.ts";
import { ownInstructions } from "../instructions.ts";

/** A response without output, status and usage: repeats the request's settings. */
export function responseBase(id: string, createdAt: number, context: ReplyContext, request: Conversation): JsonObject {
  const { sampling, reasoning, format } = request;
  const tools = request.tools.flatMap((tool) => {
    if (tool.type === "hosted") return tool.dialect === "openai-responses" ? [tool.value] : [];
    const { type, name, description } = tool;
    return type === "custom"
      ? [compact({ type, name, description, format: tool.format })]
      : [{ type, name, description, parameters: tool.parameters ?? {}, strict: tool.strict ?? false }];
  });
  return {
    id,
    object: "response",
    created_at: createdAt,
    background: false,
    instructions: textOfParts(ownInstructions(request), "\n\n") || null,
    max_output_tokens: sampling.maxOutputTokens,
    max_tool_calls: null,
    model: context.model,
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: request.extra.members.previous_response_id ?? null,
    prompt_cache_key: request.promptCacheKey,
    reasoning: { effort: statedEffort(reasoning.setting), summary: reasoning.summary },
    safety_identifier: request.user,
    service_tier: request.serviceTier ?? "default",
    store: request.extra.members.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: compact({ format: formatEcho(format), verbosity: request.verbosity }),
    tool_choice: choiceEcho(request.toolChoice),
    tools,
    top_logprobs: sampling.topLogprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: request.extra.members.truncation ?? "disabled",
    metadata: request.metadata ?? {},
  };
}

function formatEcho(format: Conversation["format"]): JsonObject {
  if (format?.type === "schema") {
    const { name, description, schema, strict } = format;
    return compact({ type: "json_schema", name, description, schema, strict: strict ?? false });
  }
  return { type: format?.type === "json" ? "json_object" : "text" };
}

function choiceEcho(choice: Conversation["toolChoice"]): unknown {
  if (!choice) return "auto";
  if (choice.type === "tool") return { type: choice.kind, name: choice.name };
  return choice.type === "allowed" ? choice.mode : choice.type;
}

/** Why a response ended, and the provider's own word for it. */
export type Finish = Readonly<{ reason: FinishReason; native: string | null }>;

/** The final status of a response. */
export function endState({ reason, native }: Finish, usage: Usage | null, now: number): JsonObject {
  const own = reason === "unknown" ? native : null;
  const cut = reason === "length" ? "max_output_tokens" : reason === "content_filter" ? "content_filter" : own;
  return {
    status: cut === null ? "completed" : "incomplete",
    completed_at: cut === null ? now : null,
    error: null,
    incomplete_details: cut === null ? null : { reason: cut },
    ...(usage && { usage: usageObject(usage) }),
  };
}

/** The upstream's id if it is a response id, else one made from the request id. */
export const responseId = (id: string, { requestId }: ReplyContext): string =>
  id.startsWith("resp_") ? id : `resp_${requestId.replace(/[^A-Za-z0-9]/g, "")}`;

/** A call as an item; custom tools have `input` instead of arguments. */
export const callItem = (
  id: string,
  call: Readonly<{ id: string; name: string; namespace?: string; kind: "function" | "custom" }>,
  input: string,
  status = "completed",
): JsonObject =>
  call.kind === "custom"
    ? { id, type: "custom_tool_call", status, call_id: call.id, ...namesOf(call), input }
    : { id, type: "function_call", status, call_id: call.id, ...namesOf(call), arguments: input };

const namesOf = ({ name, namespace }: Readonly<{ name: string; namespace?: string }>): JsonObject =>
  namespace === undefined ? { name } : { name, namespace };

/** Usage in the Responses API's shape. */
export const usageObject = (usage: Usage): JsonObject => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheCreationTokens,
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
});
