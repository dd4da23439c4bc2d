import type { ChatDialect } from "../conversation/conversation.ts";
import { type JsonObject, recordOf, textOf } from "../json.ts";
import { readEffort } from "./reasoning-setting.ts";

type Fits = (value: unknown) => boolean;

const isList: Fits = (value) => Array.isArray(value) && value.every((item) => recordOf(item) !== null);
const isTexts: Fits = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isRecord: Fits = (value) => recordOf(value) !== null;
const isText: Fits = (value) => typeof value === "string";
const isNumber: Fits = (value) => typeof value === "number" && Number.isFinite(value);
const isFlag: Fits = (value) => typeof value === "boolean";
const isEffort: Fits = (value) => readEffort(textOf(value)?.toLowerCase()) !== null;
const isContent: Fits = (value) => isText(value) || isList(value);
const oneOf = (values: string): Fits => {
  const known = new Set<unknown>(values.split(" "));
  return (value) => known.has(value);
};
const either =
  (one: Fits, other: Fits): Fits =>
  (value) =>
    one(value) || other(value);
/** A format of the answer, whose schema is in the member at `path`. */
const isFormat =
  (...path: string[]): Fits =>
  (value) => {
    const format = recordOf(value);
    if (format?.type !== "json_schema") return format?.type === "text" || format?.type === "json_object";
    return recordOf(path.reduce<unknown>((inner, name) => recordOf(inner)?.[name], format)) !== null;
  };

const PARTS = oneOf(
  "input_text output_text text summary_text reasoning_text refusal input_image input_file input_audio",
);

/** The values that the reader of each client format understands, by their paths: others it passes over. */
const VALUES: Readonly<Record<string, readonly (readonly [paths: string, fits: Fits])[]>> = {
  "openai-chat": [
    ["temperature top_p top_k presence_penalty frequency_penalty seed top_logprobs", isNumber],
    ["user safety_identifier prompt_cache_key verbosity service_tier", isText],
    ["logprobs parallel_tool_calls", isFlag],
    ["logit_bias metadata audio", isRecord],
    ["tools functions messages messages[].tool_calls", isList],
    ["modalities", isTexts],
    ["stop", either(isText, isTexts)],
    ["tool_choice function_call", either(oneOf("auto none required any"), isRecord)],
    ["response_format", isFormat("json_schema")],
    ["reasoning_effort", isEffort],
    ["messages[].content", isContent],
  ],
  anthropic: [
    ["temperature top_p top_k", isNumber],
    ["service_tier metadata.user_id", isText],
    ["metadata thinking output_config tool_choice", isRecord],
    ["tool_choice.type", oneOf("auto none any tool")],
    ["tools messages", isList],
    ["stop_sequences", isTexts],
    ["output_config.format output_format", isFormat("schema")],
    ["system messages[].content", isContent],
  ],
  "openai-responses": [
    ["max_output_tokens temperature top_p top_logprobs", isNumber],
    ["instructions service_tier user safety_identifier prompt_cache_key text.verbosity reasoning.summary", isText],
    ["parallel_tool_calls", isFlag],
    ["text reasoning metadata", isRecord],
    ["tools", isList],
    ["tool_choice", either(oneOf("auto none required"), isRecord)],
    ["text.format", isFormat("schema")],
    ["reasoning.effort", isEffort],
    ["input[].content", isContent],
    ["input[].content[].type", PARTS],
  ],
  gemini: [
    ["generationConfig.maxOutputTokens generationConfig.temperature generationConfig.topP", isNumber],
    ["generationConfig.topK generationConfig.seed generationConfig.candidateCount", isNumber],
    ["generationConfig.thinkingConfig.thinkingBudget", isNumber],
    ["generationConfig.thinkingConfig.thinkingLevel", isEffort],
    ["generationConfig.stopSequences generationConfig.responseModalities", isTexts],
    ["generationConfig generationConfig.thinkingConfig generationConfig.responseSchema toolConfig", isRecord],
    ["systemInstruction", either(isText, isRecord)],
    ["tools contents[].parts", isList],
  ],
  "gemini-interactions": [
    ["generation_config.max_output_tokens generation_config.temperature generation_config.top_p", isNumber],
    ["generation_config.seed", isNumber],
    ["generation_config.stop_sequences", isTexts],
    ["generation_config.thinking_level", isEffort],
    ["generation_config", isRecord],
    ["tools", isList],
    ["system_instruction", either(isText, isRecord)],
  ],
};

type Rule = Readonly<{ segments: readonly string[]; fits: Fits }>;

/** The rules of each format by the first member of their paths. */
const RULES: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>> = new Map(
  Object.entries(VALUES).map(([format, rows]) => {
    const rules = rows.flatMap(([paths, fits]) =>
      paths.split(" ").map((path) => ({ segments: path.split("."), fits })),
    );
    return [format, Map.groupBy(rules, ({ segments: [first = ""] }) => first.replace("[]", ""))] as const;
  }),
);

/**
 * Paths of a request's members whose values its format does not have, such as a text in place of a number: translated for another
 * format, nothing of them is left. Where bytes pass through, the provider judges them.
 */
export function unreadValues(format: ChatDialect, body: JsonObject): string[] {
  const found: string[] = [];
  const rules = RULES.get(format);
  if (!rules) return found;
  for (const name in body) {
    const own = rules.get(name);
    if (own) for (const rule of own) visit(body, rule, 0, "", found);
  }
  return found;
}

function visit(value: unknown, rule: Rule, depth: number, path: string, found: string[]): void {
  const segment = rule.segments[depth];
  if (segment === undefined) {
    if (value != null && !rule.fits(value)) found.push(path);
    return;
  }
  const isEach = segment.endsWith("[]");
  const name = isEach ? segment.slice(0, -2) : segment;
  const member = recordOf(value)?.[name];
  if (member === undefined) return;
  if (!isEach) visit(member, rule, depth + 1, path === "" ? name : `${path}.${name}`, found);
  else if (Array.isArray(member))
    for (const [at, item] of member.entries())
      visit(item, rule, depth + 1, `${path === "" ? "" : `${path}.`}${name}[${at}]`, found);
}
