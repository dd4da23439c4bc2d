import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { recordForeignFields } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { requestsStrictTools } from "../../../formats/tools/tool-result.ts";
import { extractSearch } from "../../../formats/tools/web-search.ts";

const UNKNOWN = [
  "frequency_penalty",
  "logit_bias",
  "user",
  "metadata",
  "service_tier",
  "verbosity",
  "modalities",
  "audio",
  "prompt_cache_key",
];
/** Fields of DashScope that clients may set. */
const OWN = ["enable_search", "search_options", "repetition_penalty", "enable_code_interpreter"];

/**
 * Writes a request for DashScope's own generation API. Source:
 * https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-dashscope
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { searches, rest: conversation } = extractSearch(source, "dashscope", dropped);
  // These two have other names and limits here.
  const others = { ...conversation.sampling, topK: null, stop: [] };
  const chat = encodeChat({ ...conversation, sampling: others }, target, dropped);
  for (const name of UNKNOWN) if (chat[name] !== undefined) dropped.add(name);
  recordForeignFields(conversation, OWN, dropped);
  const { sampling, extra, stream, reasoning } = conversation;
  const { toolChoice } = conversation;
  const allowed = toolChoice?.type === "allowed" ? toolChoice : null;
  const mustCall = toolChoice?.type === "required" || allowed?.mode === "required";
  if (mustCall) dropped.add("tool_choice");
  if (requestsStrictTools(conversation)) dropped.add("strict");
  const own = extra.dialect === "openai-chat" ? OWN.map((name) => [name, extra.members[name]]) : [];
  const messages = recordsOf(chat.messages).map((message) => messageOf(message, dropped));
  return {
    model: target.model,
    input: { messages },
    parameters: compact({
      ...Object.fromEntries(own),
      ...(searches && { enable_search: searches }),
      result_format: "message",
      incremental_output: stream || null,
      max_tokens: sampling.maxOutputTokens,
      temperature: sampling.temperature === null ? null : Math.min(1.99, Math.max(0, sampling.temperature)),
      // Both 0 and 1 are rejected.
      top_p: sampling.topP === null ? null : Math.min(0.999, Math.max(0.001, sampling.topP)),
      top_k: sampling.topK,
      presence_penalty: sampling.presencePenalty,
      seed: sampling.seed,
      stop: sampling.stop.length > 0 ? sampling.stop : null,
      n: sampling.n,
      logprobs: sampling.logprobs,
      top_logprobs: sampling.topLogprobs,
      tools: allowed ? offered(recordsOf(chat.tools), allowed.names) : chat.tools,
      tool_choice: mustCall || allowed ? "auto" : chat.tool_choice,
      parallel_tool_calls: chat.parallel_tool_calls,
      response_format: chat.response_format,
      enable_thinking: reasoningEnabled(reasoning),
      thinking_budget: reasoning.budgetTokens !== null && reasoning.budgetTokens > 0 ? reasoning.budgetTokens : null,
    }),
  };
}

/** If the request allows only some tools, the others are left out. */
const offered = (tools: readonly JsonObject[], names: readonly string[]): JsonObject[] =>
  tools.filter((tool) => names.includes(textOf(recordOf(tool.function)?.name) ?? ""));

function reasoningEnabled({ effort, budgetTokens, enabled }: Conversation["reasoning"]): boolean | null {
  if (effort === "none" || enabled === false || budgetTokens === 0) return false;
  return effort !== null || budgetTokens !== null || enabled ? true : null;
}

/** Content parts have their kind as the member name. */
function messageOf(message: JsonObject, dropped: Dropped): JsonObject {
  const { reasoning_details: _, ...rest } = message;
  if (!Array.isArray(message.content)) return rest;
  const content = recordsOf(message.content).flatMap((part): JsonObject[] => {
    if (part.type === "text") return [{ text: part.text }];
    const image = textOf(recordOf(part.image_url)?.url);
    if (image !== null) return [{ image }];
    const video = textOf(recordOf(part.video_url)?.url);
    if (video !== null) return [{ video }];
    const { data, format } = recordOf(part.input_audio) ?? {};
    if (data !== undefined) return [{ audio: `data:audio/${textOf(format) ?? "wav"};base64,${data}` }];
    dropped.add(textOf(part.type) ?? "content");
    return [];
  });
  return { ...rest, content };
}
