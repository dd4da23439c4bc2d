import type { Dropped, Target } from "../../conversation/codec.ts";
import {
  type Conversation,
  type DialogTurn,
  type Extensions,
  ownMembers,
  type Part,
  type ReasoningPart,
  type SystemTurn,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from "../../conversation/conversation.ts";
import { withResultsFirst } from "../../conversation/system-turns.ts";
import {
  markMember,
  splitResult,
  takesBreakpoints,
  withBreakpoints,
  withMarkOnPart,
  withoutCacheMarks,
} from "../../helpers/cache-marks.ts";
import { isBlank, outputLimit, recordDroppedNative, recordForeignFields } from "../../helpers/dropped-fields.ts";
import { effortOfSetting } from "../../helpers/reasoning-setting.ts";
import { compact, type JsonObject, recordOf, textOf } from "../../json.ts";
import { textOfParts } from "../../media.ts";
import { lowestEffort } from "../../openai-chat/request/reasoning-setting.ts";
import { withoutRootlessFormat } from "../../openai-chat/request/rootless-format.ts";
import { resultText } from "../../tools/pair-calls.ts";
import { callIdFor, shortName } from "../../tools/tool-names.ts";
import {
  foreignSearch,
  isSynthesized,
  isWebSearch,
  recordDroppedSearch,
  SEARCH_MEMBERS,
  type WebSearch,
} from "../../tools/web-search.ts";
import { inputInstructions, ownInstructions } from "../instructions.ts";
import { writeMedia } from "./content.ts";
import { writeChoice, writeText, writeTool } from "./tools.ts";

const MIN_OUTPUT_TOKENS = 16;

/**
 * Writes a Responses request.
 * Source: https://platform.openai.com/docs/api-reference/responses/create
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const conversation = withoutRootlessFormat(fitMarks(source, target, dropped), target.model, dropped);
  const { sampling, extra, tools } = conversation;
  const own = extra.dialect === "openai-responses";
  recordDroppedOptions(conversation, dropped);
  if (!own) recordForeignFields(conversation, ["store", ...SHARED, ...SEARCH_MEMBERS], dropped);
  const search = foreignSearch(conversation, "openai-responses");
  const written = tools
    .filter((tool) => !search || !isWebSearch(tool))
    .map((tool) => writeTool(tool) ?? recordDroppedName(dropped, `tools: ${tool.name}`))
    .filter((tool) => tool !== null);
  if (search) written.push(searchTool(search, dropped));
  return compact({
    // The provider stores nothing unless the client requests it, so encrypted reasoning is included instead.
    ...(own
      ? extra.members
      : {
          ...(extra.dialect === "openai-chat" && Object.fromEntries(SHARED.map((name) => [name, extra.members[name]]))),
          store: extra.members.store === true,
          include: includeOf(conversation, target, search !== null),
        }),
    ...(search?.maxUses != null && { max_tool_calls: search.maxUses }),
    model: target.model,
    instructions: textOfParts(ownInstructions(conversation), "\n\n") || null,
    input: itemsOf(conversation, dropped),
    stream: conversation.stream || null,
    max_output_tokens: outputLimit(sampling.maxOutputTokens, MIN_OUTPUT_TOKENS, dropped),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_logprobs: sampling.topLogprobs,
    tools: written.length > 0 ? written : null,
    tool_choice: written.length > 0 ? writeChoice(conversation.toolChoice, tools) : null,
    parallel_tool_calls: written.length > 0 ? conversation.parallelToolCalls : null,
    reasoning: reasoningOf(conversation, target, dropped),
    text: writeText(conversation),
    service_tier: conversation.serviceTier,
    metadata: extra.dialect.startsWith("openai") ? conversation.metadata : null,
    safety_identifier: conversation.user === null ? null : shortName(conversation.user, "user_"),
    prompt_cache_key: conversation.promptCacheKey,
  });
}

/** The conversation with the cache marks that the target takes: its own clients know it. */
function fitMarks(source: Conversation, target: Target, dropped: Dropped): Conversation {
  if (takesBreakpoints(target)) return withBreakpoints(withMarkOnPart(source), dropped);
  return source.extra.dialect === "openai-responses" ? source : withoutCacheMarks(source, dropped);
}

/** Members that OpenAI's chat and Responses APIs share. */
const SHARED: readonly string[] = ["prompt_cache_retention", "prompt_cache_options", "moderation"];

const recordDroppedName = (dropped: Dropped, name: string): null => {
  dropped.add(name);
  return null;
};

/** OpenAI's web search cannot exclude domains. */
function searchTool(search: WebSearch, dropped: Dropped): JsonObject {
  recordDroppedSearch(search, ["user_location", "allowed_domains", "max_uses", "search_context_size"], dropped);
  const { location, allowedDomains, contextSize } = search;
  return compact({
    type: "web_search",
    user_location: location && { type: "approximate", ...location },
    filters: allowedDomains.length > 0 ? { allowed_domains: allowedDomains } : null,
    search_context_size: contextSize,
  });
}

function recordDroppedOptions({ sampling, modalities, audio }: Conversation, dropped: Dropped): void {
  const { stop, n, frequencyPenalty, presencePenalty, seed, logitBias, topK } = sampling;
  if (stop.length > 0) dropped.add("stop");
  if (n !== null && n > 1) dropped.add("n");
  if (frequencyPenalty !== null) dropped.add("frequency_penalty");
  if (presencePenalty !== null) dropped.add("presence_penalty");
  if (seed !== null) dropped.add("seed");
  if (logitBias !== null) dropped.add("logit_bias");
  if (topK !== null) dropped.add("top_k");
  if (modalities?.some((modality) => modality !== "text")) dropped.add("modalities");
  if (audio) dropped.add("audio");
}

/** OpenAI's models: compatible services need not support OpenAI's `include` values. */
const OPENAI_MODEL = /^(gpt|chatgpt|o\d)/;

/** Also requests search results, which clients of other formats read. */
function includeOf({ sampling }: Conversation, { model, info }: Target, searches: boolean): string[] | null {
  const include: string[] = searches && OPENAI_MODEL.test(model) ? ["web_search_call.action.sources"] : [];
  if (info.encrypted_reasoning) include.push("reasoning.encrypted_content");
  if (sampling.logprobs) include.push("message.output_text.logprobs");
  return include.length > 0 ? include : null;
}

function reasoningOf(
  { reasoning: { setting, summary, show }, extra }: Conversation,
  { info, reasoningSummaries }: Target,
  dropped: Dropped,
): JsonObject | null {
  const own = extra.dialect === "openai-responses";
  const asIs = own || reasoningSummaries === false;
  const lowest = setting?.type === "off" && !own ? lowestEffort(info, (effort) => ({ effort })) : null;
  if (lowest && !lowest.isHonored && info.reasoning?.style !== "none") dropped.add("reasoning_effort");
  const requestedEffort = lowest ? textOf(lowest.members.effort) : setting && effortOfSetting(setting);
  // Clients of other formats expect readable reasoning, which OpenAI returns on request only.
  const isShown = show ?? (requestedEffort !== null && setting?.type !== "off");
  const shown = summary ?? (!asIs && isShown && info.reasoning?.style !== "none" ? "auto" : null);
  const members = compact({
    ...(own && recordOf(extra.members.reasoning)),
    effort: requestedEffort === "max" ? "xhigh" : requestedEffort,
    summary: shown,
  });
  return Object.keys(members).length > 0 ? members : null;
}

function itemsOf(conversation: Conversation, dropped: Dropped): JsonObject[] {
  const turns = [...inputInstructions(conversation), ...withResultsFirst(conversation.turns)];
  const custom = new Set<string>();
  for (const { parts } of turns) {
    for (const part of parts) if (part.type === "tool-call" && part.kind === "custom") custom.add(part.id);
  }
  return turns.flatMap((turn) => turnItems(turn, custom, dropped));
}

function turnItems(turn: Turn, custom: ReadonlySet<string>, dropped: Dropped): JsonObject[] {
  switch (turn.role) {
    case "user":
      return userItems(turn, custom, dropped);
    case "assistant":
      return assistantItems(turn, dropped);
    case "system":
      return systemItems(turn, dropped);
  }
}

function systemItems({ parts, isDeveloper }: SystemTurn, dropped: Dropped): JsonObject[] {
  for (const part of parts) if (part.type === "native") recordDroppedNative(part, dropped);
  const content = contentOf(parts, dropped);
  return content.length > 0 ? [{ type: "message", role: isDeveloper ? "developer" : "system", content }] : [];
}

/** Tool results come first, one item each. */
function userItems({ parts }: DialogTurn, custom: ReadonlySet<string>, dropped: Dropped): JsonObject[] {
  const items: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === "tool-result") items.push(resultItem(part, custom, dropped));
    else if (part.type === "native") items.push(...nativeItem(part, dropped));
  }
  const content = contentOf(parts, dropped);
  if (content.length > 0) items.push({ type: "message", role: "user", content });
  return items;
}

function resultItem(result: ToolResultPart, custom: ReadonlySet<string>, dropped: Dropped): JsonObject {
  const text = resultText(result);
  const split = splitResult(result);
  const media = contentOf(split.media, dropped);
  const type = custom.has(result.callId) ? "custom_tool_call_output" : "function_call_output";
  const textParts = text === "" ? [] : [{ type: "input_text", text, ...markMember(split.mark) }];
  return {
    type,
    call_id: callIdFor("openai-responses", result.callId),
    output: media.length === 0 && !split.mark ? text : [...textParts, ...media],
  };
}

function contentOf(parts: readonly Part[], dropped: Dropped): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "input_text", text: part.text, ...markMember(part.cache) }];
      case "image":
      case "audio":
      case "video":
      case "document": {
        const media = writeMedia(part) ?? recordDroppedName(dropped, part.type);
        return media ? [{ ...media, ...markMember(part.cache) }] : [];
      }
      case "native":
        if (part.dialect !== "openai-responses") recordDroppedNative(part, dropped);
        return [];
      default:
        return [];
    }
  });
}

/** Consecutive texts form one message; calls, reasoning and native items separate them. */
function assistantItems({ parts }: DialogTurn, dropped: Dropped): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | null = null;
  let of: Extensions["extensions"];
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") {
      if (part.text === "") continue;
      const extensions = part.type === "text" ? part.extensions : of;
      if (!content || extensions !== of) {
        content = [];
        of = extensions;
        items.push({ ...ownMembers({ ...(of && { extensions: of }) }, "openai-responses"), ...messageOf(content) });
      }
      const { type, text } = part;
      content.push(type === "text" ? { type: "output_text", text, annotations: [] } : { type, refusal: text });
      continue;
    }
    content = null;
    if (part.type === "tool-call") items.push(callItem(part));
    else if (part.type === "reasoning") items.push(...reasoningItem(part, dropped));
    else if (part.type === "native") items.push(...nativeItem(part, dropped));
    else dropped.add(part.type);
  }
  return items;
}

const messageOf = (content: JsonObject[]): JsonObject => ({ type: "message", role: "assistant", content });

function callItem({ id, name, namespace, input, kind }: ToolCallPart): JsonObject {
  const called = { ...(namespace !== undefined && { namespace }), name };
  const callId = callIdFor("openai-responses", id);
  return kind === "custom"
    ? { type: "custom_tool_call", call_id: callId, ...called, input }
    : { type: "function_call", call_id: callId, ...called, arguments: input.trim() === "" ? "{}" : input };
}

/** OpenAI accepts only its own encrypted reasoning. */
function reasoningItem(part: ReasoningPart, dropped: Dropped): JsonObject[] {
  const { text, signature } = part;
  if (signature?.dialect !== "openai-responses") {
    if (!isBlank(part)) dropped.add("reasoning");
    return [];
  }
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  const { id, value } = signature;
  return [{ type: "reasoning", ...(id !== undefined && { id }), summary, encrypted_content: value }];
}

function nativeItem(part: Extract<Part, { type: "native" }>, dropped: Dropped): JsonObject[] {
  const { dialect, value } = part;
  if (dialect === "openai-responses") return isSynthesized(value) ? [] : [value];
  recordDroppedNative(part, dropped);
  return [];
}
