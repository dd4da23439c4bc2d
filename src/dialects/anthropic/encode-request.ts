import type { Dropped, Target } from "../codec.ts";
import { compact } from "../compact.ts";
import type { Conversation, Part, Tool, ToolChoice, Turn } from "../conversation.ts";
import type { JsonObject } from "../json.ts";
import { recordOf, textOf } from "../json.ts";
import { pairCalls } from "../pair-calls.ts";
import { blockOf } from "./blocks.ts";
import { type Thinking, thinkingFor } from "./thinking.ts";

/** Answer room beside a thought whose budget reaches the client's own limit. */
const ROOM_BESIDE_THOUGHT = 1024;

/** Writes a Messages request (providers.md 2.3.1, 4.3, 4.4), within the rules that would else answer 400. */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { sampling, extra, system } = conversation;
  const own = extra.dialect === "anthropic" ? extra.members : {};
  const thinking = ownThinking(conversation, own) ?? thinkingFor(target.model, conversation);
  noteUnsaid(conversation, dropped);
  const limit = sampling.maxOutputTokens ?? target.defaultMaxTokens;
  const body: JsonObject = {
    ...own,
    model: target.model,
    max_tokens: limit < thinking.leastMaxTokens ? thinking.leastMaxTokens + ROOM_BESIDE_THOUGHT : limit,
    system: system.length > 0 ? system.flatMap((part) => blockOf(part) ?? []) : null,
    messages: messagesOf(conversation.turns, target, dropped),
    stream: conversation.stream || null,
    ...samplingOf(conversation, thinking, dropped),
    stop_sequences: stopsOf(sampling.stop),
    tools: toolsOf(conversation.tools, dropped),
    tool_choice: choiceOf(conversation),
    metadata: own.metadata ?? (conversation.user === null ? null : { user_id: conversation.user }),
    service_tier: tierOf(conversation),
    ...thinking.members,
  };
  const format = formatOf(conversation);
  if (format) body.output_config = { ...recordOf(body.output_config), format };
  return compact(body);
}

/** A client of the same format knows best what its model takes. */
function ownThinking({ sampling }: Conversation, own: JsonObject): Thinking | null {
  const thinking = recordOf(own.thinking);
  if (!thinking) return null;
  const on = thinking.type !== "disabled";
  return { members: {}, on: on && sampling.temperature === null, leastMaxTokens: 0 };
}

function noteUnsaid({ sampling, modalities, verbosity, promptCacheKey, extra }: Conversation, dropped: Dropped): void {
  if (sampling.n !== null && sampling.n > 1) dropped.add("n");
  if (sampling.frequencyPenalty) dropped.add("frequency_penalty");
  if (sampling.presencePenalty) dropped.add("presence_penalty");
  if (sampling.seed !== null) dropped.add("seed");
  if (sampling.logprobs) dropped.add("logprobs");
  if (sampling.logitBias) dropped.add("logit_bias");
  if (modalities?.some((kind) => kind !== "text")) dropped.add("modalities");
  if (verbosity !== null) dropped.add("verbosity");
  if (promptCacheKey !== null) dropped.add("prompt_cache_key");
  if (extra.dialect !== "anthropic") for (const name of Object.keys(extra.members)) dropped.add(name);
}

/** Temperature is 0 to 1 here; newer models take temperature or top_p, not both; none of them beside thought. */
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

/** Blank stop sequences are refused. */
function stopsOf(stop: readonly string[]): string[] | null {
  const kept = stop.filter((text) => text.trim() !== "");
  return kept.length > 0 ? kept : null;
}

/** Turns alternate, the first is the user's, and what the model shall go on with has no blanks at its end. */
function messagesOf(turns: readonly Turn[], target: Target, dropped: Dropped): Message[] {
  const messages: Message[] = [];
  for (const { role, parts } of pairCalls(turns, target.newId)) {
    const content = blocksOf(parts, role, dropped);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
  }
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ type: "text", text: "..." }] });
  const last = messages.at(-1);
  const end = last?.role === "assistant" ? last.content.at(-1) : null;
  if (end?.type === "text") end.text = textOf(end.text)?.trimEnd() || "...";
  return messages;
}

type Message = { role: "user" | "assistant"; content: JsonObject[] };

function blocksOf(parts: readonly Part[], role: Turn["role"], dropped: Dropped): JsonObject[] {
  const blocks = parts.flatMap((part): JsonObject[] => {
    const block = blockOf(part);
    if (!block && part.type !== "text" && part.type !== "reasoning")
      dropped.add(part.type === "native" ? part.name : part.type);
    return block ? [block] : [];
  });
  if (role === "user") return blocks;
  // Thoughts begin the turn they belong to.
  const isThought = ({ type }: JsonObject) => type === "thinking" || type === "redacted_thinking";
  return isThought(blocks[0] ?? {})
    ? blocks
    : [...blocks.filter(isThought), ...blocks.filter((block) => !isThought(block))];
}

function toolsOf(tools: readonly Tool[], dropped: Dropped): JsonObject[] | null {
  const written = tools.flatMap((tool): JsonObject[] => {
    if (tool.type === "hosted") {
      if (tool.dialect === "anthropic") return [tool.value];
      if (tool.name.startsWith("web_search")) return [{ type: "web_search_20250305", name: "web_search" }];
      dropped.add(`tools: ${tool.name}`);
      return [];
    }
    if (tool.type === "custom")
      return [compact({ name: tool.name, description: tool.description, input_schema: FREE_TEXT })];
    const { name, description, parameters, strict, cache } = tool;
    const schema = { ...parameters, type: "object", properties: recordOf(parameters?.properties) ?? {} };
    return [compact({ name, description, input_schema: schema, strict: strict || null, cache_control: cache })];
  });
  return written.length > 0 ? written : null;
}

const FREE_TEXT = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

function choiceOf({ toolChoice, parallelToolCalls, tools }: Conversation): JsonObject | null {
  if (tools.length === 0) return null;
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : null;
  const choice = plainChoice(toolChoice);
  if (choice) return choice.type === "none" ? choice : { ...choice, ...single };
  return single && { type: "auto", ...single };
}

function plainChoice(choice: ToolChoice | null): JsonObject | null {
  if (!choice) return null;
  switch (choice.type) {
    case "required":
      return { type: "any" };
    case "tool":
      return { type: "tool", name: choice.name };
    case "allowed":
      return { type: choice.mode === "required" ? "any" : "auto" };
    default:
      return { type: choice.type };
  }
}

function tierOf({ serviceTier }: Conversation): string | null {
  if (serviceTier === null) return null;
  return serviceTier === "default" || serviceTier === "standard_only" ? "standard_only" : "auto";
}

/** JSON by schema is the format of the answer; plain JSON mode has no equal, the prompt has to ask for it. */
function formatOf({ format }: Conversation): JsonObject | null {
  if (format?.type !== "schema") return null;
  return { type: "json_schema", schema: closed(format.schema) };
}

/** Anthropic wants every object of a schema closed. */
function closed(schema: JsonObject): JsonObject {
  const properties = recordOf(schema.properties);
  const items = recordOf(schema.items);
  return {
    ...schema,
    ...(schema.type === "object" && { additionalProperties: schema.additionalProperties ?? false }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, closed(recordOf(inner) ?? {})]),
      ),
    }),
    ...(items && { items: closed(items) }),
  };
}
