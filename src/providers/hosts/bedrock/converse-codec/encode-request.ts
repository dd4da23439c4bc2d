import { nearestEffort } from "../../../../catalog/nearest-effort.ts";
import { closedSchema, inputSchema } from "../../../../formats/anthropic/request/schema.ts";
import {
  type BlockKinds,
  type Thinking,
  thinkingAfter,
  thinkingFor,
} from "../../../../formats/anthropic/request/thinking.ts";
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
import { NO_REASONING } from "../../../../formats/conversation/conversation.ts";
import { claudeSignature } from "../../../../formats/conversation/signature.ts";
import { markOfResult, withMostMarks, withoutCacheMarks } from "../../../../formats/helpers/cache-marks.ts";
import {
  isBlank,
  recordDropped,
  recordDroppedExtensions,
  recordDroppedNative,
} from "../../../../formats/helpers/dropped-fields.ts";
import { effortOfSetting } from "../../../../formats/helpers/reasoning-setting.ts";
import { compact, type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../../formats/openai-chat/request/encode-request.ts";
import { REASONING_MEMBERS } from "../../../../formats/openai-chat/request/reasoning-setting.ts";
import { FREE_TEXT } from "../../../../formats/tools/custom-tools.ts";
import { pairCalls } from "../../../../formats/tools/pair-calls.ts";
import { callIdFor } from "../../../../formats/tools/tool-names.ts";
import { choosesHosted } from "../../../../formats/tools/web-search.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import { type CachePoints, cachePoints, NO_POINTS } from "./cache-points.ts";
import { withReadableDocuments } from "./documents.ts";

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
      dropped.add("reasoning");
      return [];
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

type Message = { role: DialogTurn["role"]; content: JsonObject[] };

/** Only Claude signs its reasoning, and only Claude takes it back, from every platform. */
function reasoningOf(part: ReasoningPart, isClaude: boolean, dropped: Dropped): JsonObject[] {
  const { text, signature, encrypted } = part;
  const proof = isClaude ? claudeSignature(signature) : null;
  if (proof === null) {
    if (!isBlank(part)) dropped.add("reasoning");
    return [];
  }
  if (encrypted) return [{ reasoningContent: { redactedContent: proof } }];
  return [{ reasoningContent: { reasoningText: { text, signature: proof } } }];
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
  ...REASONING_MEMBERS,
  "service_tier",
  "metadata",
];
/** Service tiers by OpenAI's names. */
export const CONVERSE_TIERS = lookupTable<string>({
  default: "default",
  flex: "flex",
  priority: "priority",
  fast: "priority",
});
const MAX_METADATA = 16;
const METADATA_TEXT = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;

/**
 * Writes a request for Bedrock's Converse; the URL has the model and whether to stream. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const marks = cachePoints(target.model);
  const conversation = marks ? withMostMarks(source, dropped) : withoutCacheMarks(source, dropped);
  const unmarked = withoutCacheMarks({ ...conversation, turns: [], reasoning: NO_REASONING }, new Set());
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
  const isClaude = IS_CLAUDE.test(target.model);
  const messages = messagesOf(turns, conversation.cache, marks ?? NO_POINTS, isClaude, dropped);
  const thinking = isClaude ? thinkingAfter(messages, thinkingFor(target.info, conversation), BLOCKS, dropped) : null;
  if (thinking?.unmet) dropped.add("reasoning_effort");
  const inference = compact({
    maxTokens: sampling.maxOutputTokens,
    ...samplingOf(conversation, thinking, dropped),
    stopSequences: stopsOf(sampling.stop),
  });
  return compact({
    messages: withReadableDocuments(messages),
    system: instructions.length > 0 ? instructions : null,
    inferenceConfig: Object.keys(inference).length > 0 ? inference : null,
    toolConfig: toolConfig(conversation, turns, keeps, marks ?? NO_POINTS, dropped),
    outputConfig: keeps ? outputConfig(format) : null,
    additionalModelRequestFields: ownFields(conversation, thinking, target, dropped),
    serviceTier: tierOf(conversation, dropped),
    requestMetadata: metadataOf(conversation, dropped),
  });
}

const IS_CLAUDE = /anthropic|claude/;

const BLOCKS: BlockKinds = {
  isReasoning: (block) => block.reasoningContent !== undefined,
  isCall: (block) => block.toolUse !== undefined,
};

/** Claude takes no sampling settings while it reasons. */
function samplingOf({ sampling }: Conversation, thinking: Thinking | null, dropped: Dropped): JsonObject {
  const { temperature, topP } = sampling;
  if (thinking?.on) {
    if (temperature !== null && temperature !== 1) dropped.add("temperature");
    if (topP !== null && topP < 0.95) dropped.add("top_p");
    return {};
  }
  return { temperature: temperature === null ? null : Math.min(1, Math.max(0, temperature)), topP };
}

function tierOf({ serviceTier }: Conversation, dropped: Dropped): JsonObject | null {
  const type = CONVERSE_TIERS[serviceTier ?? ""];
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
  isClaude: boolean,
  dropped: Dropped,
): Message[] {
  const messages: Message[] = turns.flatMap(({ role, parts }) => {
    const content = parts.flatMap((part) =>
      part.type === "reasoning" ? reasoningOf(part, isClaude, dropped) : blocksOf(part, marks, dropped),
    );
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
function ownFields(
  conversation: Conversation,
  thinking: Thinking | null,
  target: Target,
  dropped: Dropped,
): JsonObject | null {
  const reasoning = thinking?.members ?? reasoningFields(conversation.reasoning, target, dropped);
  const { topK } = conversation.sampling;
  // Claude rejects it while it reasons, and newer models altogether.
  const isRefused = topK !== null && (thinking?.on === true || refusesTopK(target));
  if (isRefused) dropped.add("top_k");
  const fields = {
    ...reasoning,
    ...(topK !== null && !isRefused && (/nova/.test(target.model) ? { inferenceConfig: { topK } } : { top_k: topK })),
  };
  return Object.keys(fields).length > 0 ? fields : null;
}

const refusesTopK = ({ info }: Target): boolean => info.refuses?.includes("top_k") ?? false;

/** Each model family has its own fields for reasoning. */
function reasoningFields({ setting }: Reasoning, { model, info }: Target, dropped: Dropped): JsonObject | null {
  if (!setting) return null;
  const isOff = setting.type === "off";
  const level = nearestEffort(["low", "medium", "high"], effortOfSetting(setting));
  if (model.includes("nova-2"))
    return { reasoningConfig: isOff ? { type: "disabled" } : { type: "enabled", maxReasoningEffort: level } };
  if (model.includes("gpt-oss")) {
    if (isOff) dropped.add("reasoning_effort");
    return { reasoning_effort: level };
  }
  if (model.includes("qwen") && !isOff) return { reasoning_config: level === "low" ? "low" : "high" };
  // Other models' reasoning cannot be configured.
  if (!isOff || info.reasoning?.style === "fixed") dropped.add("reasoning_effort");
  return null;
}
