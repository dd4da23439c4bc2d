import type { ModelInfo } from "../../../catalog/catalog.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { Dropped, Target } from "../../conversation/codec.ts";
import { type Conversation, ownMembers, type Part, type Tool } from "../../conversation/conversation.ts";
import { isBlank, recordDroppedNative, recordForeignFields } from "../../helpers/dropped-fields.ts";
import { compact, type JsonObject, listOf, recordOf, textOf } from "../../json.ts";
import { FREE_TEXT } from "../../tools/custom-tools.ts";
import { pairCalls, requestsStrictTools, resultMedia } from "../../tools/pair-calls.ts";
import {
  choosesHosted,
  foreignSearch,
  isWebSearch,
  recordDroppedSearch,
  SEARCH_MEMBERS,
} from "../../tools/web-search.ts";
import { signFirstCall, writePart } from "../parts.ts";
import { cleanSchema } from "./schema.ts";
import { serverToolIn } from "./server-tools.ts";
import { thinkingConfig } from "./thinking.ts";

const MAX_STOPS = 5;
/** OpenAI's service tiers in Google's terms. */
export const GEMINI_TIERS = lookupTable<string>({
  default: "standard",
  flex: "flex",
  priority: "priority",
  fast: "priority",
});

/**
 * Writes a generateContent request.
 * Source: https://ai.google.dev/api/generate-content
 */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { extra, system } = conversation;
  const own = extra.dialect === "gemini" ? extra.members : cachedContentOf(extra.members);
  recordDroppedOptions(conversation, dropped);
  const tools = toolsOf(conversation, target, dropped);
  const isMixed = mixes(conversation, tools);
  const contents = contentsOf(conversation, target, isMixed, dropped);
  const instruction = system.map(({ text }) => ({ text }));
  // Gemini requires at least one turn: a request with instructions only sends them as the first turn.
  const alone = contents.length === 0 && instruction.length > 0;
  const format = formatOptions(conversation, tools, target.info, dropped);
  return compact({
    ...own,
    systemInstruction: instruction.length > 0 && !alone ? { parts: instruction } : null,
    contents: alone ? [{ role: "user", parts: instruction }] : contents,
    tools: tools.length > 0 ? tools : null,
    toolConfig:
      own.toolConfig ??
      (tools.some(({ functionDeclarations }) => functionDeclarations)
        ? toolConfigOf(conversation, target.info, isMixed, dropped)
        : null),
    generationConfig: generationConfig(
      { ...conversation, format },
      target.info,
      recordOf(own.generationConfig),
      dropped,
    ),
    serviceTier: GEMINI_TIERS[conversation.serviceTier ?? ""],
  });
}

function recordDroppedOptions(conversation: Conversation, dropped: Dropped): void {
  const { sampling, parallelToolCalls, verbosity, user, promptCacheKey, metadata, serviceTier, extra } = conversation;
  if (sampling.logitBias) dropped.add("logit_bias");
  if (parallelToolCalls === false) dropped.add("parallel_tool_calls");
  if (verbosity !== null) dropped.add("verbosity");
  if (user !== null) dropped.add("user");
  if (promptCacheKey !== null) dropped.add("prompt_cache_key");
  if (metadata !== null) dropped.add("metadata");
  if (serviceTier !== null && serviceTier !== "auto" && !GEMINI_TIERS[serviceTier]) dropped.add("service_tier");
  if (sampling.stop.length > MAX_STOPS) dropped.add("stop");
  if (extra.dialect !== "gemini") recordFurtherGoogle(extra.members, dropped);
  if (extra.dialect !== "gemini")
    recordForeignFields(
      conversation,
      [...(foreignSearch(conversation, "gemini") ? SEARCH_MEMBERS : []), ...CACHED_CONTENT_MEMBERS],
      dropped,
    );
}

const CACHED_CONTENT_MEMBERS = ["cachedContent", "cached_content", "google", "extra_body"];

/**
 * The name of a cached prefix, as clients of other formats spell it: LiteLLM's `cached_content`, and the members of
 * https://ai.google.dev/gemini-api/docs/openai#extra-body.
 */
function cachedContentOf(members: JsonObject): JsonObject {
  const google = recordOf(members.google) ?? recordOf(recordOf(members.extra_body)?.google);
  const name = textOf(members.cachedContent) ?? textOf(members.cached_content) ?? textOf(google?.cached_content);
  return compact({ cachedContent: name });
}

/** Further members of Google's that such clients send, which nobody reads. */
const recordFurtherGoogle = ({ google, extra_body }: JsonObject, dropped: Dropped): void => {
  const { google: inner, ...others } = recordOf(extra_body) ?? {};
  for (const [name, value] of [
    ...Object.entries({ ...recordOf(google), ...recordOf(inner) }),
    ...Object.entries(others),
  ])
    if (value != null && name !== "cached_content") dropped.add(name);
};

/** Turns alternate and begin with the user's: Gemini accepts a call only after another turn. */
function contentsOf({ turns }: Conversation, target: Target, isMixed: boolean, dropped: Dropped): JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const turn of pairCalls(turns, target.newId)) {
    const role = turn.role === "assistant" ? "model" : "user";
    const parts = withSignatures(turn.parts).flatMap((part) =>
      // Google rejects earlier calls of its own tools when the request does not combine them with functions.
      !isMixed && part.type === "reasoning" && serverToolIn(part.signature)
        ? []
        : encodePart(part, dropped).map((one) => (isMixed ? withCallId(one, part) : one)),
    );
    if (role === "model" && target.info.call_signatures !== false) signFirstCall(parts);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [{ text: "..." }] });
  return contents;
}

/** In a request with both functions and Google's own tools, calls and their results must have the same id. */
function withCallId(written: JsonObject, part: Part): JsonObject {
  const { functionCall, functionResponse } = written;
  if (part.type === "tool-call" && functionCall) {
    return { ...written, functionCall: { id: part.id, ...recordOf(functionCall) } };
  }
  return part.type === "tool-result" && functionResponse
    ? { ...written, functionResponse: { id: part.callId, ...recordOf(functionResponse) } }
    : written;
}

/**
 * A signature-only reasoning part before a call is the call's own signature, which had to travel through another
 * format.
 */
function withSignatures(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const bare =
      last?.type === "reasoning" &&
      last.text === "" &&
      last.signature?.dialect === "gemini" &&
      !serverToolIn(last.signature)
        ? last.signature
        : null;
    if (part.type === "tool-call" && !part.signature && bare) {
      result.pop();
      result.push({ ...part, signature: bare });
    } else result.push(part);
  }
  return result;
}

function encodePart(part: Part, dropped: Dropped): JsonObject[] {
  const value = writePart(part);
  if (!value && part.type === "native") recordDroppedNative(part, dropped);
  else if (!value && part.type !== "text" && !isBlank(part)) dropped.add(part.type);
  if (part.type !== "tool-result") return listOf(value);
  // Images of a tool result follow it.
  return [...listOf(value), ...resultMedia(part).flatMap((inner) => encodePart(inner, dropped))];
}

/** Before Gemini 3, a request cannot have both functions and a JSON response format. */
function formatOptions(
  { format, extra }: Conversation,
  tools: readonly JsonObject[],
  info: ModelInfo,
  dropped: Dropped,
): Conversation["format"] {
  const excluded = tools.length > 0 && info.combines_tools === false && extra.dialect !== "gemini";
  if (!excluded || !format || format.type === "text") return format;
  dropped.add("response_format");
  return null;
}

/** Whether a client of another format combines Google's own tools with functions: Google requires a flag for that. */
const mixes = ({ extra }: Conversation, tools: readonly JsonObject[]): boolean =>
  extra.dialect !== "gemini" &&
  tools.length > 1 &&
  tools.some(({ functionDeclarations }) => functionDeclarations !== undefined);

/**
 * The client's functions and Google's own tools. Before Gemini 3, and on Vertex AI, a request can have only one of the
 * two.
 */
function toolsOf(conversation: Conversation, { info, service }: Target, dropped: Dropped): JsonObject[] {
  const { tools, toolChoice, extra } = conversation;
  const search = foreignSearch(conversation, "gemini");
  const allowed = toolChoice?.type === "allowed" && toolChoice.mode === "auto" ? toolChoice.names : null;
  const offered = allowed ? tools.filter(({ name }) => allowed.includes(name)) : tools;
  const declarations = offered.flatMap(declarationsOf);
  const combines = service?.hostedToolsWithFunctions === true && info.combines_tools !== false;
  const exclusive = declarations.length > 0 && !combines && extra.dialect !== "gemini";
  // The client forbids all tool calls, and this includes Google's own tools.
  const isOff = declarations.length > 0 && toolChoice?.type === "none" && extra.dialect !== "gemini";
  if (search && (isOff || exclusive)) {
    dropped.add(search.from === "tools" ? "tools: web_search" : search.from);
    if (search.maxUses !== null) dropped.add("tools: max_uses");
  } else if (search) recordDroppedSearch(search, [], dropped);
  if (isOff) return [{ functionDeclarations: declarations }];
  const hosted = offered.flatMap((tool): JsonObject[] => {
    if (search && isWebSearch(tool)) return [];
    const own = hostedOf(tool);
    if (own && !exclusive) {
      // Google's has no options.
      if (tool.type === "hosted" && tool.dialect !== "gemini")
        for (const name of Object.keys(compact(tool.value)))
          if (name !== "type" && name !== "name") dropped.add(`tools: ${name}`);
      return [own];
    }
    if (own || tool.type === "hosted") dropped.add(`tools: ${tool.name}`);
    return [];
  });
  if (search && !exclusive) hosted.push({ googleSearch: {} });
  return [...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []), ...hosted];
}

function declarationsOf(tool: Tool): JsonObject[] {
  if (tool.type === "hosted" || BUILT_IN[tool.name]) return [];
  if (tool.type === "custom") return [declarationOf(tool.name, tool.description, FREE_TEXT)];
  return [{ ...ownMembers(tool, "gemini"), ...declarationOf(tool.name, tool.description, tool.parameters) }];
}

function hostedOf(tool: Tool): JsonObject | null {
  if (tool.type !== "hosted") return BUILT_IN[tool.name] ?? null;
  if (tool.dialect === "gemini") return tool.value;
  return tool.name.startsWith("code_") ? { codeExecution: {} } : null;
}

/** Functions with these names enable Google's own tools, as in new-api. */
const BUILT_IN = lookupTable<JsonObject>({
  googleSearch: { googleSearch: {} },
  codeExecution: { codeExecution: {} },
  urlContext: { urlContext: {} },
});

/** A function as Gemini declares it. */
export function declarationOf(name: string, description: string | null, parameters: JsonObject | null): JsonObject {
  const cleaned = parameters && cleanSchema(parameters);
  const takesSomething = cleaned && (cleaned.type !== "object" || cleaned.properties !== undefined);
  return compact({ name, description: description ?? "", parameters: takesSomething ? cleaned : null });
}

function toolConfigOf(
  conversation: Conversation,
  info: ModelInfo,
  isMixed: boolean,
  dropped: Dropped,
): JsonObject | null {
  const config = callingConfigOf(conversation, info, isMixed, dropped);
  return isMixed ? { ...config, includeServerSideToolInvocations: true } : config;
}

function callingConfigOf(
  conversation: Conversation,
  info: ModelInfo,
  isMixed: boolean,
  dropped: Dropped,
): JsonObject | null {
  const { toolChoice } = conversation;
  const config = (mode: string, names?: string[]) => ({
    functionCallingConfig: { mode, ...(names && { allowedFunctionNames: names }) },
  });
  const isFree =
    !toolChoice || toolChoice.type === "auto" || (toolChoice.type === "allowed" && toolChoice.mode === "auto");
  // Forced calls always follow the schema; optional ones need the VALIDATED mode for that. Google rejects AUTO together
  // with its own tools, and VALIDATED is the closest mode and its default there.
  if (isFree && isMixed) return toolChoice || requestsStrictTools(conversation) ? config("VALIDATED") : null;
  if (isFree && requestsStrictTools(conversation)) {
    if (info.strict_tools !== false) return config("VALIDATED");
    dropped.add("strict");
  }
  if (!toolChoice) return null;
  switch (toolChoice.type) {
    case "tool":
      if (!choosesHosted(conversation)) return config("ANY", [toolChoice.name]);
      dropped.add("tool_choice");
      return null;
    case "allowed":
      return toolChoice.mode === "required" ? config("ANY", toolChoice.names) : config("AUTO");
    case "required":
      return config("ANY");
    case "none":
      return config("NONE");
    case "auto":
      return config("AUTO");
  }
}

function generationConfig(
  conversation: Conversation,
  info: ModelInfo,
  own: JsonObject | null,
  dropped: Dropped,
): JsonObject | null {
  const { sampling, format, modalities, audio } = conversation;
  const voice = typeof audio?.voice === "string" && {
    voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } },
  };
  const config = compact({
    ...own,
    maxOutputTokens: sampling.maxOutputTokens,
    temperature: sampling.temperature === null ? null : Math.min(2, Math.max(0, sampling.temperature)),
    topP: sampling.topP,
    topK: sampling.topK,
    // Google's seed is a 32-bit integer.
    seed: sampling.seed === null ? null : sampling.seed | 0,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    candidateCount: sampling.n !== null && sampling.n > 1 ? sampling.n : null,
    stopSequences: sampling.stop.length > 0 ? sampling.stop.slice(0, MAX_STOPS) : null,
    responseLogprobs: sampling.logprobs || null,
    logprobs: sampling.logprobs ? sampling.topLogprobs : null,
    responseMimeType: own?.responseMimeType ?? (format && format.type !== "text" ? "application/json" : null),
    responseSchema: format?.type === "schema" ? cleanSchema(format.schema) : null,
    responseModalities: modalities?.map((kind) => kind.toUpperCase()),
    speechConfig: own?.speechConfig ?? (voice || null),
    thinkingConfig: thinkingConfig(conversation, info, dropped),
  });
  return Object.keys(config).length > 0 ? config : null;
}
