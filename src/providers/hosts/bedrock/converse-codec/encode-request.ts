import { supportsAdaptive, supportsBudget } from "../../../../formats/anthropic/models.ts";
import { closedSchema, inputSchema } from "../../../../formats/anthropic/request/schema.ts";
import type { Dropped, Target } from "../../../../formats/conversation/codec.ts";
import type {
  Conversation,
  DialogTurn,
  MediaPart,
  Part,
  Reasoning,
  ReasoningPart,
  Tool,
  ToolChoice,
  ToolResultPart,
} from "../../../../formats/conversation/conversation.ts";
import {
  recordDropped,
  recordDroppedExtensions,
  recordDroppedNative,
} from "../../../../formats/conversation/dropped-fields.ts";
import { markOfResult, withMostMarks, withoutCacheMarks } from "../../../../formats/helpers/cache-marks.ts";
import { compact, type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../../formats/openai-chat/request/encode-request.ts";
import { FREE_TEXT } from "../../../../formats/tools/custom-tools.ts";
import { pairCalls } from "../../../../formats/tools/pair-calls.ts";
import { callIdFor } from "../../../../formats/tools/tool-names.ts";
import { choosesHosted } from "../../../../formats/tools/web-search.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import { type CachePoints, cachePoints, NO_POINTS } from "./cache-points.ts";

/** Writes a part as Converse content blocks, and a cache point after a marked one. */
function blocksOf(part: Part, marks: CachePoints, dropped: Dropped): JsonObject[] {
  const blocks = plainBlocksOf(part, dropped);
  if (part.type === "reasoning" || part.type === "refusal" || part.type === "native") return blocks;
  const mark = part.type === "tool-result" ? markOfResult(part) : part.cache;
  return blocks.length > 0 ? [...blocks, ...marks.after(mark)] : blocks;
}

/** Writes a part as Converse content blocks; a part that Converse cannot hold is dropped and recorded. */
function plainBlocksOf(part: Part, dropped: Dropped): JsonObject[] {
  switch (part.type) {
    case "text":
      // Blank texts are rejected.
      return part.text.trim() === "" ? [] : [{ text: part.text }];
    case "refusal":
      return [{ text: part.text }];
    case "reasoning":
      return reasoningOf(part);
    case "tool-call": {
      const input = recordOf(parseJson(part.input || "{}")) ?? { input: part.input };
      return [{ toolUse: { toolUseId: callIdFor("converse", part.id), name: part.name, input } }];
    }
    case "tool-result":
      return [{ toolResult: resultOf(part, dropped) }];
    case "native":
      recordDroppedNative(part, dropped);
      return [];
    default: {
      const media = mediaOf(part);
      if (!media) dropped.add(part.type === "image" ? "image_url" : part.type);
      return media ? [media] : [];
    }
  }
}

/** Reasoning returns only with a signature by Bedrock. */
function reasoningOf({ text, signature, encrypted }: ReasoningPart): JsonObject[] {
  if (signature?.dialect !== "converse") return [];
  if (encrypted) return [{ reasoningContent: { redactedContent: signature.value } }];
  return [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
}

function resultOf({ callId, parts, isError }: ToolResultPart, dropped: Dropped): JsonObject {
  const content = parts.flatMap((part) => plainBlocksOf(part, dropped));
  return compact({
    toolUseId: callIdFor("converse", callId),
    content: content.length > 0 ? content : [{ text: "(empty)" }],
    status: isError ? "error" : null,
  });
}

const DOCUMENTS = lookupTable<string>({
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
});

/** Media must be inside the request: the gateway fetches URLs first. */
function mediaOf({ type, source, name }: MediaPart): JsonObject | null {
  if (source.kind === "text") return { text: source.text };
  if (source.kind !== "base64") return null;
  const { mediaType, data } = source;
  const bytes = { bytes: data };
  if (type === "document") {
    const format = DOCUMENTS[mediaType.split(";")[0] ?? ""];
    return format ? { document: { format, name: documentName(name), source: bytes } } : null;
  }
  const format = mediaType.split("/")[1]?.replace("jpg", "jpeg") ?? "";
  if (type === "image") return { image: { format, source: bytes } };
  return type === "video" ? { video: { format: format === "quicktime" ? "mov" : format, source: bytes } } : null;
}

/** A document name with the allowed characters: letters, digits, single spaces, hyphens and brackets. */
const documentName = (name = "document"): string =>
  name
    .replace(/\.[A-Za-z0-9]+$/, "")
    .replace(/[^A-Za-z0-9 ()[\]-]/g, " ")
    .replace(/\s+/g, " ")
    .trim() || "document";

const SUPPORTED_FIELDS = [
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
  "service_tier",
  "metadata",
];
const TIERS = lookupTable<string>({ default: "default", flex: "flex", priority: "priority", fast: "priority" });
const MAX_METADATA = 16;
const METADATA_TEXT = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;
const BUDGETS = lookupTable<number>({ minimal: 1024, low: 1280, medium: 2048, high: 4096 });

/**
 * Writes a request for Bedrock's Converse; the URL has the model and whether to stream. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const marks = cachePoints(target.model);
  const conversation = marks ? withMostMarks(source, dropped) : withoutCacheMarks(source, dropped);
  const unmarked = withoutCacheMarks({ ...conversation, turns: [] }, new Set());
  recordDropped(encodeChat(unmarked, target, dropped), SUPPORTED_FIELDS, dropped);
  recordDroppedExtensions(conversation, dropped);
  const { sampling, system, format } = conversation;
  const turns = pairCalls(conversation.turns, target.newId);
  const keeps = target.info.structured_output === true;
  const inWords = keeps && format?.type === "schema" ? [] : formatInstructions(format, dropped);
  const instructions = [
    ...system.flatMap((part) => blocksOf(part, marks ?? NO_POINTS, dropped)),
    ...inWords.map((text) => ({ text })),
  ];
  const inference = compact({
    maxTokens: sampling.maxOutputTokens,
    temperature: sampling.temperature === null ? null : Math.min(1, Math.max(0, sampling.temperature)),
    topP: sampling.topP,
    stopSequences: stopsOf(sampling.stop),
  });
  return compact({
    messages: messagesOf(turns, conversation.cache, marks ?? NO_POINTS, dropped),
    system: instructions.length > 0 ? instructions : null,
    inferenceConfig: Object.keys(inference).length > 0 ? inference : null,
    toolConfig: toolConfig(conversation, turns, keeps, marks ?? NO_POINTS, dropped),
    outputConfig: keeps ? outputConfig(format) : null,
    additionalModelRequestFields: ownFields(conversation, target, dropped),
    serviceTier: tierOf(conversation, dropped),
    requestMetadata: metadataOf(conversation, dropped),
  });
}

function tierOf({ serviceTier }: Conversation, dropped: Dropped): JsonObject | null {
  const type = TIERS[serviceTier ?? ""];
  if (type) return { type };
  if (serviceTier !== null && serviceTier !== "auto") dropped.add("service_tier");
  return null;
}

/** Request metadata for Bedrock's invocation logs, which accept short texts with plain characters. */
function metadataOf({ metadata }: Conversation, dropped: Dropped): JsonObject | null {
  if (!metadata) return null;
  const fits = ([name, value]: [string, unknown]) =>
    name !== "" && METADATA_TEXT.test(name) && typeof value === "string" && METADATA_TEXT.test(value);
  const entries = Object.entries(metadata);
  const valid = entries.filter(fits).slice(0, MAX_METADATA);
  if (valid.length < entries.length) dropped.add("metadata");
  return valid.length > 0 ? Object.fromEntries(valid) : null;
}

function stopsOf(stop: readonly string[]): string[] | null {
  const nonBlank = stop.filter((text) => text.trim() !== "");
  return nonBlank.length > 0 ? nonBlank : null;
}

/** The schema is sent as text. */
function outputConfig(format: Conversation["format"]): JsonObject | null {
  if (format?.type !== "schema") return null;
  const { name, description, schema } = format;
  const jsonSchema = compact({ name, description, schema: JSON.stringify(closedSchema(schema)) });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/** For JSON without a schema, or models without structured output, an instruction in the prompt asks for it. */
function formatInstructions(format: Conversation["format"], dropped: Dropped): string[] {
  if (!format || format.type === "text") return [];
  const only = "Answer with one JSON value and nothing else, without a code fence.";
  if (format.type === "json") return [only];
  dropped.add("response_format");
  return [`${only} It must fit this JSON Schema:\n${JSON.stringify(format.schema)}`];
}

/** The request's own mark becomes a cache point at the end. */
function messagesOf(
  turns: readonly DialogTurn[],
  cache: JsonObject | null,
  marks: CachePoints,
  dropped: Dropped,
): JsonObject[] {
  const messages = turns.flatMap(({ role, parts }) => {
    const content = parts.flatMap((part) => blocksOf(part, marks, dropped));
    return content.length > 0 ? [{ role, content }] : [];
  });
  const last = messages.at(-1)?.content;
  if (last && cache && !last.at(-1)?.cachePoint) last.push(...marks.after(cache));
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ text: "..." }] });
  return messages;
}

/** A conversation with tool calls must declare tools, even if none may be called any more. */
function toolConfig(
  { tools, toolChoice }: Conversation,
  turns: readonly DialogTurn[],
  keeps: boolean,
  marks: CachePoints,
  dropped: Dropped,
): JsonObject | null {
  const called = new Set(
    turns.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []))),
  );
  if (toolChoice?.type === "none" && called.size === 0) return null;
  const allowed = toolChoice?.type === "allowed" ? toolChoice.names : null;
  const specs = tools.flatMap((tool) => {
    if (allowed && !allowed.includes(tool.name)) return [];
    const written = specOf(tool, keeps, dropped);
    return tool.type === "hosted" || written.length === 0
      ? written
      : [...written, ...marks.afterTool(tool.cache, dropped)];
  });
  if (specs.length === 0) for (const name of called) specs.push(spec(name, null, { type: "object" }));
  if (specs.length === 0) return null;
  const isHosted = choosesHosted({ tools, toolChoice });
  if (toolChoice?.type === "none" || isHosted) dropped.add("tool_choice");
  return compact({ tools: specs, toolChoice: isHosted ? null : choiceOf(toolChoice) });
}

function specOf(tool: Tool, keeps: boolean, dropped: Dropped): JsonObject[] {
  if (tool.type === "hosted") {
    dropped.add(`tools: ${tool.name}`);
    return [];
  }
  const strict = tool.type === "function" && tool.strict === true;
  if (strict && !keeps) dropped.add("strict");
  const plain = tool.type === "custom" ? FREE_TEXT : (tool.parameters ?? { type: "object", properties: {} });
  return strict && keeps
    ? [spec(tool.name, tool.description, inputSchema(plain, true), true)]
    : [spec(tool.name, tool.description, plain)];
}

const spec = (name: string, description: string | null, json: JsonObject, strict = false): JsonObject => ({
  toolSpec: compact({ name, description: description || null, inputSchema: { json }, strict: strict || null }),
});

function choiceOf(choice: ToolChoice | null): JsonObject | null {
  if (choice?.type === "tool") return { tool: { name: choice.name } };
  if (choice?.type === "required" || (choice?.type === "allowed" && choice.mode === "required")) return { any: {} };
  return choice && choice.type !== "none" ? { auto: {} } : null;
}

/** Members that Converse itself does not know, by the model's own names: reasoning, and how many tokens are sampled from. */
function ownFields(conversation: Conversation, target: Target, dropped: Dropped): JsonObject | null {
  const reasoning = thinking(conversation.reasoning, target, dropped);
  const { topK } = conversation.sampling;
  if (topK === null) return reasoning;
  const { model } = target;
  // Claude rejects it while it reasons, and newer models altogether.
  const isRefused = (reasoning?.thinking !== undefined && /anthropic|claude/.test(model)) || refusesTopK(target);
  if (isRefused) dropped.add("top_k");
  if (isRefused) return reasoning;
  const own = /nova/.test(model) ? { inferenceConfig: { topK } } : { top_k: topK };
  return { ...reasoning, ...own };
}

const refusesTopK = ({ info }: Target): boolean => info.refuses?.includes("top_k") ?? false;

/** Each model family has its own fields for reasoning. */
function thinking(
  { effort, budgetTokens, enabled }: Reasoning,
  { model, info }: Target,
  dropped: Dropped,
): JsonObject | null {
  const off = effort === "none" || enabled === false || budgetTokens === 0;
  if (off || (effort === null && budgetTokens === null && !enabled)) return null;
  if (/anthropic|claude/.test(model)) {
    if (supportsAdaptive(info) && !supportsBudget(info)) {
      const output = effort && { output_config: { effort: effort === "minimal" ? "low" : effort } };
      return { thinking: { type: "adaptive" }, ...output };
    }
    const budget = budgetTokens !== null && budgetTokens > 0 ? budgetTokens : (BUDGETS[effort ?? ""] ?? 2048);
    return { thinking: { type: "enabled", budget_tokens: budget } };
  }
  const level = effort === "minimal" ? "low" : effort === "low" || effort === "high" ? effort : "medium";
  if (model.includes("qwen")) return { reasoning_config: level === "low" ? "low" : "high" };
  if (model.includes("gpt-oss")) return { reasoning_effort: level };
  if (model.includes("nova-2")) return { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
  // Other models' reasoning cannot be configured.
  dropped.add("reasoning_effort");
  return null;
}
