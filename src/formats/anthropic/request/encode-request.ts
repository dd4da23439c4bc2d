import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { Dropped, Target } from "../../conversation/codec.ts";
import {
  type Conversation,
  type DialogTurn,
  ownMembers,
  type Part,
  type SystemTurn,
  type ToolChoice,
  type Turn,
} from "../../conversation/conversation.ts";
import { systemTurnAsUser } from "../../conversation/system-turns.ts";
import { withMostMarks } from "../../helpers/cache-marks.ts";
import { isBlank, recordDroppedNative, recordForeignFields } from "../../helpers/dropped-fields.ts";
import { compact, type JsonObject, listOf, recordOf, textOf } from "../../json.ts";
import { FREE_TEXT } from "../../tools/custom-tools.ts";
import { pairTurns, resultMedia } from "../../tools/pair-calls.ts";
import {
  choosesHosted,
  foreignSearch,
  isWebSearch,
  recordDroppedSearch,
  SEARCH_MEMBERS,
  type WebSearch,
} from "../../tools/web-search.ts";
import { supportsSchema } from "../models.ts";
import { blockOf } from "./blocks.ts";
import { closedSchema, inputSchema } from "./schema.ts";
import { ANSWER_TOKENS, type BlockKinds, type Thinking, thinkingAfter, thinkingFor } from "./thinking.ts";

/**
 * Writes a Messages request that respects the rules whose violation Anthropic answers with 400. Source:
 * https://docs.anthropic.com/en/api/messages
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const conversation = withMostMarks(source, dropped);
  const { sampling, extra } = conversation;
  const own = extra.dialect === "anthropic" ? extra.members : {};
  recordDroppedOptions(conversation, dropped);
  const messages = messagesOf(conversation.turns, target, dropped);
  const thinking = thinkingAfter(messages, thinkingFor(target.info, conversation), MESSAGES, dropped);
  if (thinking.unmet) dropped.add("reasoning_effort");
  // The gateway's own default grows with the budget; a client's limit never does.
  const leastDefault = thinking.budget === 0 ? 0 : thinking.budget + ANSWER_TOKENS + 1;
  const tools = toolsOf(conversation, dropped);
  const system = systemOf(conversation, target, dropped);
  return compact({
    ...own,
    cache_control: conversation.cache,
    model: target.model,
    max_tokens: sampling.maxOutputTokens ?? Math.max(target.defaultMaxTokens, leastDefault),
    system: system.length > 0 ? system : null,
    messages,
    stream: conversation.stream || null,
    ...samplingOf(conversation, thinking, dropped),
    stop_sequences: stopsOf(sampling.stop),
    tools: tools.length > 0 ? tools : null,
    tool_choice: tools.length > 0 ? choiceOf(conversation, dropped) : null,
    metadata: conversation.user === null ? null : { user_id: conversation.user },
    service_tier: ANTHROPIC_TIERS[conversation.serviceTier ?? ""],
    ...thinking.members,
    ...(own.thinking !== undefined && { thinking: own.thinking }),
    output_config: outputConfig(recordOf(own.output_config), thinking, formatOf(conversation, target)),
  });
}

function outputConfig(own: JsonObject | null, { members }: Thinking, format: JsonObject | null): JsonObject | null {
  const config = { ...own, ...recordOf(members.output_config), ...(format && { format }) };
  return Object.keys(config).length > 0 ? config : null;
}

/** The system prompt; it includes the response format for models without structured output. */
function systemOf({ system, format }: Conversation, { info }: Target, dropped: Dropped): JsonObject[] {
  const blocks = system.flatMap((part): JsonObject[] => listOf(blockOf(part)));
  if (!format || format.type === "text" || (format.type === "schema" && supportsSchema(info))) return blocks;
  const only = "Answer with one JSON value and nothing else, without a code fence";
  if (format.type === "json") return [...blocks, { type: "text", text: `${only}.` }];
  dropped.add("response_format");
  const schema = JSON.stringify(format.schema);
  return [...blocks, { type: "text", text: `${only}. It must fit this JSON Schema:\n${schema}` }];
}

function recordDroppedOptions(conversation: Conversation, dropped: Dropped): void {
  const { sampling, modalities, verbosity, promptCacheKey, metadata, serviceTier, extra } = conversation;
  if (sampling.n !== null && sampling.n > 1) dropped.add("n");
  if (sampling.frequencyPenalty) dropped.add("frequency_penalty");
  if (sampling.presencePenalty) dropped.add("presence_penalty");
  if (sampling.seed !== null) dropped.add("seed");
  if (sampling.logprobs) dropped.add("logprobs");
  if (sampling.logitBias) dropped.add("logit_bias");
  if (modalities?.some((kind) => kind !== "text")) dropped.add("modalities");
  if (verbosity !== null) dropped.add("verbosity");
  if (metadata !== null) dropped.add("metadata");
  if (serviceTier !== null && serviceTier !== "auto" && !ANTHROPIC_TIERS[serviceTier]) dropped.add("service_tier");
  if (promptCacheKey !== null) dropped.add("prompt_cache_key");
  if (extra.dialect !== "anthropic")
    recordForeignFields(conversation, foreignSearch(conversation, "anthropic") ? SEARCH_MEMBERS : [], dropped);
}

/**
 * Anthropic's temperature ranges from 0 to 1. Newer models accept either temperature or top_p, and none of the two with
 * thinking.
 */
function samplingOf({ sampling }: Conversation, { on }: Thinking, dropped: Dropped): JsonObject {
  const { temperature, topP, topK } = sampling;
  if (on) {
    if (temperature !== null && temperature !== 1) dropped.add("temperature");
    if (topP !== null && topP < 0.95) dropped.add("top_p");
    if (topK !== null) dropped.add("top_k");
    return {};
  }
  if (temperature !== null && topP !== null && topP !== 1) dropped.add("top_p");
  return {
    temperature: temperature === null ? null : Math.min(1, Math.max(0, temperature)),
    top_p: temperature === null ? topP : null,
    top_k: topK,
  };
}

/** Anthropic rejects blank stop sequences. */
function stopsOf(stop: readonly string[]): string[] | null {
  const nonBlank = stop.filter((text) => text.trim() !== "");
  return nonBlank.length > 0 ? nonBlank : null;
}

/** Turns alternate and begin with the user's; a prefilled assistant turn must not end with whitespace. */
function messagesOf(turns: readonly Turn[], target: Target, dropped: Dropped): Message[] {
  const messages: Message[] = [];
  const paired = pairTurns(turns, target.newId);
  for (const [at, turn] of paired.entries()) {
    const isPlaced = turn.role === "system" && takesSystemTurns(target);
    if (isPlaced && canFollow(messages.at(-1)) && paired[at + 1]?.role !== "user") {
      const content = blocksOf(turn.parts, "user", dropped);
      if (content.length > 0) messages.push({ ...ownMembers(turn, "anthropic"), role: "system", content });
      continue;
    }
    const { role, parts } = turn.role === "system" ? systemTurnAsUser(withoutNative(turn, dropped)) : turn;
    const content = blocksOf(parts, role, dropped);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
  }
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ type: "text", text: "..." }] });
  const last = messages.at(-1);
  const end = last?.role === "assistant" ? last.content.at(-1) : null;
  if (end?.type === "text") end.text = textOf(end.text)?.trimEnd() || "...";
  // Later models reject prefilled turns, except a turn that paused at a tool which Anthropic runs.
  if (end && target.info.assistant_prefill === false && !PAUSED_AT.test(`${end.type}`))
    messages.push({ role: "user", content: [{ type: "text", text: "..." }] });
  return messages;
}

const PAUSED_AT = /^server_tool_use$|_tool_result$/;

type Message = { role: Turn["role"]; content: JsonObject[] };

const takesSystemTurns = ({ info, service }: Target): boolean =>
  info.mid_conversation_system === true && service?.systemTurns !== "first";

/**
 * Whether a system message may follow: only after the user, or after an assistant that paused at a tool which Anthropic
 * runs. It must precede an assistant's message or be the last, and no two may follow each other. Source:
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
const canFollow = (before: Message | undefined): boolean =>
  before?.role === "user" || (before?.role === "assistant" && PAUSED_AT.test(`${before.content.at(-1)?.type}`));

/** Blocks that only a system message can hold, such as tools that are added, can't stand in a user's. */
function withoutNative(turn: SystemTurn, dropped: Dropped): SystemTurn {
  for (const part of turn.parts) if (part.type === "native") recordDroppedNative(part, dropped);
  return { ...turn, parts: turn.parts.filter(({ type }) => type !== "native") };
}

function blocksOf(parts: readonly Part[], role: DialogTurn["role"], dropped: Dropped): JsonObject[] {
  const blocks = parts.flatMap((part): JsonObject[] => {
    const block = blockOf(part);
    if (!block && part.type === "native") recordDroppedNative(part, dropped);
    else if (!block && part.type !== "text" && !isBlank(part)) dropped.add(part.type);
    if (part.type === "tool-result")
      for (const inner of resultMedia(part)) if (!blockOf(inner)) dropped.add(inner.type);
    return block ? [block] : [];
  });
  if (role === "user") return blocks;
  // Thinking blocks must come first in their turn.
  return isReasoning(blocks[0] ?? {})
    ? blocks
    : [...blocks.filter(isReasoning), ...blocks.filter((block) => !isReasoning(block))];
}

const isReasoning = ({ type }: JsonObject): boolean => type === "thinking" || type === "redacted_thinking";

const MESSAGES: BlockKinds = { isReasoning, isCall: ({ type }) => type === "tool_use" };

/** If the request allows only some tools, the others are left out. */
function toolsOf(conversation: Conversation, dropped: Dropped): JsonObject[] {
  const { tools, toolChoice } = conversation;
  const search = foreignSearch(conversation, "anthropic");
  const allowed = toolChoice?.type === "allowed" ? toolChoice.names : null;
  const written = tools.flatMap((tool): JsonObject[] => {
    if (allowed && !allowed.includes(tool.name)) return [];
    if (tool.type === "hosted") {
      if (tool.dialect === "anthropic") return [tool.value];
      if (isWebSearch(tool)) return [];
      dropped.add(`tools: ${tool.name}`);
      return [];
    }
    if (tool.type === "custom")
      return [
        compact({
          name: tool.name,
          description: tool.description,
          input_schema: FREE_TEXT,
          cache_control: tool.cache,
        }),
      ];
    const { name, description, parameters, strict, cache } = tool;
    const schema = inputSchema(parameters, strict === true);
    const members = { name, description, input_schema: schema, strict: strict || null, cache_control: cache };
    return [compact({ ...ownMembers(tool, "anthropic"), ...members })];
  });
  return search ? [...written, searchTool(search, dropped)] : written;
}

/** Anthropic accepts only one of `allowed_domains` and `blocked_domains`. */
function searchTool(search: WebSearch, dropped: Dropped): JsonObject {
  const { location, allowedDomains, blockedDomains, maxUses } = search;
  const site = allowedDomains.length > 0 ? "allowed_domains" : "blocked_domains";
  recordDroppedSearch(search, ["user_location", "max_uses", site], dropped);
  return compact({
    type: "web_search_20250305",
    name: "web_search",
    max_uses: maxUses,
    allowed_domains: allowedDomains.length > 0 ? allowedDomains : null,
    blocked_domains: allowedDomains.length === 0 && blockedDomains.length > 0 ? blockedDomains : null,
    user_location: location && { type: "approximate", ...location },
  });
}

function choiceOf(conversation: Conversation, dropped: Dropped): JsonObject | null {
  const { toolChoice, parallelToolCalls, extra } = conversation;
  const isHosted = extra.dialect !== "anthropic" && choosesHosted(conversation);
  const searches = isHosted && foreignSearch(conversation, "anthropic") !== null;
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : null;
  const isUnknown = isHosted && !searches;
  if (isUnknown) dropped.add("tool_choice");
  const choice = isUnknown ? null : plainChoice(toolChoice, searches);
  if (choice) return choice.type === "none" ? choice : { ...choice, ...single };
  return single && { type: "auto", ...single };
}

/** `searches`: the chosen tool is another format's web search. */
function plainChoice(choice: ToolChoice | null, searches: boolean): JsonObject | null {
  if (!choice) return null;
  switch (choice.type) {
    case "required":
      return { type: "any" };
    case "tool":
      return { type: "tool", name: searches ? "web_search" : choice.name };
    case "allowed":
      return { type: choice.mode === "required" ? "any" : "auto" };
    default:
      return { type: choice.type };
  }
}

/**
 * OpenAI's service tiers as Anthropic's. Anthropic's "auto" uses priority capacity when available; OpenAI's "auto" maps
 * to nothing.
 */
export const ANTHROPIC_TIERS = lookupTable<string>({ default: "standard_only", priority: "auto", fast: "auto" });

function formatOf({ format }: Conversation, { info }: Target): JsonObject | null {
  if (format?.type !== "schema" || !supportsSchema(info)) return null;
  return { type: "json_schema", schema: closedSchema(format.schema) };
}
