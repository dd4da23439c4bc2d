import type { Dropped, Target } from "../codec.ts";
import { compact } from "../compact.ts";
import type { Conversation, Part, Tool } from "../conversation.ts";
import { type JsonObject, listOf, recordOf } from "../json.ts";
import { pairCalls } from "../pair-calls.ts";
import { signFirstCall, writePart } from "./parts.ts";
import { cleanSchema } from "./schema.ts";

const MOST_STOPS = 5;
const BUDGETS = { none: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 } as const;

/** Writes a generateContent request (providers.md 2.4.1, 4.3, 4.4). */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { extra, system } = conversation;
  const own = extra.dialect === "gemini" ? extra.members : {};
  noteUnsaid(conversation, dropped);
  const contents = contentsOf(conversation, target, dropped);
  const instruction = system.map(({ text }) => ({ text }));
  // Instructions alone are no talk: they become its first turn.
  const alone = contents.length === 0 && instruction.length > 0;
  return compact({
    ...own,
    systemInstruction: instruction.length > 0 && !alone ? { parts: instruction } : null,
    contents: alone ? [{ role: "user", parts: instruction }] : contents,
    tools: toolsOf(conversation.tools, dropped),
    toolConfig: toolConfigOf(conversation),
    generationConfig: generationConfig(conversation, target.model, recordOf(own.generationConfig)),
  });
}

function noteUnsaid({ sampling, parallelToolCalls, verbosity, user, extra }: Conversation, dropped: Dropped): void {
  if (sampling.logitBias) dropped.add("logit_bias");
  if (parallelToolCalls === false) dropped.add("parallel_tool_calls");
  if (verbosity !== null) dropped.add("verbosity");
  if (user !== null) dropped.add("user");
  if (sampling.stop.length > MOST_STOPS) dropped.add("stop");
  if (extra.dialect !== "gemini") for (const name of Object.keys(extra.members)) dropped.add(name);
}

/** Turns alternate and the user's comes first: a call may only follow one. */
function contentsOf({ turns }: Conversation, target: Target, dropped: Dropped): JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const turn of pairCalls(turns, target.newId)) {
    const role = turn.role === "assistant" ? "model" : "user";
    const parts = withSignatures(turn.parts).flatMap((part) => written(part, dropped));
    if (role === "model" && checksSignatures(target.model)) signFirstCall(parts);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [{ text: "..." }] });
  return contents;
}

/** Since Gemini 3 calls must be signed; names without a number are the newest. */
const checksSignatures = (model: string): boolean => !/gemini-[12]\b/.test(model);

/** A thought without words before a call is the call's own signature, on its way through another format. */
function withSignatures(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const bare =
      last?.type === "reasoning" && last.text === "" && last.signature?.dialect === "gemini" ? last.signature : null;
    if (part.type === "tool-call" && !part.signature && bare) {
      result.pop();
      result.push({ ...part, signature: bare });
    } else result.push(part);
  }
  return result;
}

function written(part: Part, dropped: Dropped): JsonObject[] {
  const value = writePart(part);
  if (!value && part.type !== "text" && part.type !== "reasoning")
    dropped.add(part.type === "native" ? part.name : part.type);
  if (part.type !== "tool-result") return listOf(value);
  // Images of a result follow it.
  const media = part.parts.filter(({ type }) => type === "image" || type === "document");
  return [...listOf(value), ...media.flatMap((inner) => listOf(writePart(inner)))];
}

function toolsOf(tools: readonly Tool[], dropped: Dropped): JsonObject[] | null {
  const declarations: JsonObject[] = [];
  const hosted: JsonObject[] = [];
  for (const tool of tools) {
    if (tool.type === "function") {
      const builtIn = BUILT_IN[tool.name];
      if (builtIn) hosted.push(builtIn);
      else declarations.push(declarationOf(tool.name, tool.description, tool.parameters));
    } else if (tool.type === "custom") declarations.push(declarationOf(tool.name, tool.description, FREE_TEXT));
    else if (tool.dialect === "gemini") hosted.push(tool.value);
    else if (tool.name.startsWith("web_search")) hosted.push({ googleSearch: {} });
    else if (tool.name.startsWith("code_")) hosted.push({ codeExecution: {} });
    else dropped.add(`tools: ${tool.name}`);
  }
  const all = [...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []), ...hosted];
  return all.length > 0 ? all : null;
}

/** Functions of these names switch Google's own tools on, as the ecosystem has it (reference behaviour 6.2). */
const BUILT_IN: Readonly<Record<string, JsonObject>> = {
  googleSearch: { googleSearch: {} },
  codeExecution: { codeExecution: {} },
};

const FREE_TEXT = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

function declarationOf(name: string, description: string | null, parameters: JsonObject | null): JsonObject {
  const cleaned = parameters && cleanSchema(parameters);
  const takesSomething = cleaned && (cleaned.type !== "object" || cleaned.properties !== undefined);
  return compact({ name, description: description ?? "", parameters: takesSomething ? cleaned : null });
}

function toolConfigOf({ toolChoice, tools, extra }: Conversation): unknown {
  if (extra.dialect === "gemini" && extra.members.toolConfig) return extra.members.toolConfig;
  if (!toolChoice || tools.length === 0) return null;
  const config = (mode: string, names?: string[]) => ({
    functionCallingConfig: { mode, ...(names && { allowedFunctionNames: names }) },
  });
  switch (toolChoice.type) {
    case "tool":
      return config("ANY", [toolChoice.name]);
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

function generationConfig(conversation: Conversation, model: string, own: JsonObject | null): JsonObject | null {
  const { sampling, format, modalities, audio } = conversation;
  const voice = audio && { voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } } };
  const config = compact({
    ...own,
    maxOutputTokens: sampling.maxOutputTokens,
    temperature: sampling.temperature === null ? null : Math.min(2, Math.max(0, sampling.temperature)),
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    candidateCount: sampling.n !== null && sampling.n > 1 ? sampling.n : null,
    stopSequences: sampling.stop.length > 0 ? sampling.stop.slice(0, MOST_STOPS) : null,
    responseLogprobs: sampling.logprobs || null,
    logprobs: sampling.logprobs ? sampling.topLogprobs : null,
    responseMimeType: format && format.type !== "text" ? "application/json" : own?.responseMimeType,
    responseSchema:
      format?.type === "schema" && !own?.responseJsonSchema ? cleanSchema(format.schema) : own?.responseSchema,
    responseModalities: own?.responseModalities ?? modalities?.map((kind) => kind.toUpperCase()),
    speechConfig: own?.speechConfig ?? voice,
    thinkingConfig: own?.thinkingConfig ?? thinkingConfig(conversation, model),
  });
  return Object.keys(config).length > 0 ? config : null;
}

/** Gemini 3 takes levels, Gemini 2.5 budgets, older ones do not think (providers.md 4.6). */
function thinkingConfig({ reasoning }: Conversation, model: string): JsonObject | null {
  const { effort, budgetTokens, enabled, show } = reasoning;
  const includeThoughts = show ?? true;
  if (effort === null && budgetTokens === null && enabled === null) return null;
  const off = effort === "none" || enabled === false || budgetTokens === 0;
  if (/gemini-([3-9]|\d\d)/.test(model)) {
    if (off) return { thinkingLevel: model.includes("pro") ? "low" : "minimal", includeThoughts: false };
    return compact({ thinkingLevel: levelOf(effort, budgetTokens), includeThoughts });
  }
  if (!/gemini-2\.5|thinking/.test(model)) return null;
  // Pro cannot be kept from thinking: its least budget is 128.
  if (off) return { thinkingBudget: model.includes("pro") ? 128 : 0, includeThoughts: false };
  const budget = budgetTokens ?? (effort === null ? null : BUDGETS[effort]);
  return compact({ thinkingBudget: budget, includeThoughts });
}

function levelOf(effort: Conversation["reasoning"]["effort"], budgetTokens: number | null): string | null {
  if (effort !== null)
    return effort === "minimal" || effort === "low" ? "low" : effort === "medium" ? "medium" : "high";
  if (budgetTokens === null || budgetTokens < 0) return null;
  return budgetTokens <= 2048 ? "low" : "high";
}
