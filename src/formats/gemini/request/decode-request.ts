import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { DecodeError } from "../../conversation/codec.ts";
import {
  type Conversation,
  emptyConversation,
  extensionsOf,
  type TextPart,
  type Tool,
  type ToolChoice,
} from "../../conversation/conversation.ts";
import { camel } from "../../helpers/member-names.ts";
import { readEffort, settingOfBudget, settingOfEffort } from "../../helpers/reasoning-setting.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { type CallNames, either, readPart } from "../parts.ts";

const DECODED_MEMBERS: ReadonlySet<string> = new Set(
  `model contents systemInstruction system_instruction tools generationConfig generation_config toolConfig
  tool_config serviceTier service_tier`.split(/\s+/),
);
const KNOWN_GENERATION: ReadonlySet<string> = new Set(
  `maxOutputTokens temperature topP topK frequencyPenalty presencePenalty seed stopSequences candidateCount
  responseLogprobs logprobs responseSchema responseJsonSchema responseModalities thinkingConfig`.split(/\s+/),
);

/** Google's service tiers in OpenAI's terms. */
const TIERS = lookupTable<string>({ standard: "default", flex: "flex", priority: "priority" });

/**
 * Reads a generateContent request; the path contains the model and whether to stream. Throws DecodeError. Source:
 * https://ai.google.dev/api/generate-content
 */
export function decodeRequest(body: JsonObject, path?: { model: string; stream: boolean }): Conversation {
  const contents = recordsOf(body.contents);
  if (contents.length === 0) throw new DecodeError("contents is not specified", "contents");
  const conversation = emptyConversation("gemini", path?.model ?? textOf(body.model) ?? "");
  conversation.stream = path?.stream === true;
  const calls: CallNames = { ids: new Map(), made: 0 };
  const system = either(body, "systemInstruction");
  const instruction = typeof system === "string" ? [{ text: system }] : recordsOf(recordOf(system)?.parts);
  conversation.system = instruction
    .flatMap((part) => readPart(part, calls))
    .filter((part): part is TextPart => part.type === "text");
  conversation.turns = contents.map((content) => ({
    role: content.role === "model" ? "assistant" : "user",
    parts: recordsOf(content.parts).flatMap((part) => readPart(part, calls)),
  }));
  conversation.tools = recordsOf(body.tools).flatMap(toolsOf);
  const config = recordOf(either(recordOf(either(body, "toolConfig")), "functionCallingConfig"));
  conversation.toolChoice = choiceOf(config);
  readGeneration(conversation, recordOf(either(body, "generationConfig")));
  conversation.serviceTier = TIERS[textOf(either(body, "serviceTier"))?.toLowerCase() ?? ""] ?? null;
  conversation.extra.members = unreadMembers(body);
  return conversation;
}

/** Members that only Google defines; the conversation holds all others. */
function unreadMembers(body: JsonObject): JsonObject {
  const members = Object.fromEntries(Object.entries(body).filter(([name]) => !DECODED_MEMBERS.has(name)));
  const generation = Object.entries(recordOf(either(body, "generationConfig")) ?? {})
    .map(([name, value]) => [camel(name), value] as const)
    .filter(([name, value]) => !KNOWN_GENERATION.has(name) && !(name === "responseMimeType" && isRead(value)));
  if (generation.length > 0) members.generationConfig = Object.fromEntries(generation);
  const config = recordOf(either(body, "toolConfig"));
  const calling = recordOf(either(config, "functionCallingConfig"));
  const plain = Object.keys(calling ?? {}).every((name) => name === "mode" || camel(name) === "allowedFunctionNames");
  const more = Object.keys(config ?? {}).some((name) => camel(name) !== "functionCallingConfig");
  if (config && (more || !plain || calling?.mode === "VALIDATED")) members.toolConfig = config;
  return members;
}

const isRead = (mediaType: unknown): boolean => mediaType === "application/json" || mediaType === "text/plain";

function toolsOf(tool: JsonObject): Tool[] {
  const declared = recordsOf(either(tool, "functionDeclarations")).map(
    (declaration): Tool => ({
      type: "function",
      name: textOf(declaration.name) ?? "",
      description: textOf(declaration.description),
      parameters:
        recordOf(either(declaration, "parametersJsonSchema")) ?? lowercaseTypes(recordOf(declaration.parameters)),
      strict: null,
      ...extensionsOf("gemini", declaration, DECLARATION_MEMBERS),
    }),
  );
  const hosted = Object.keys(tool).filter((name) => camel(name) !== "functionDeclarations");
  return [
    ...declared,
    ...hosted.map((name): Tool => {
      const known = HOSTED[name] ?? name;
      return { type: "hosted", name: known, dialect: "gemini", value: { [name]: tool[name] } };
    }),
  ];
}

/** Members of a function declaration that are decoded. */
const DECLARATION_MEMBERS: ReadonlySet<string> = new Set([
  ...["name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema"],
]);

const HOSTED = lookupTable<string>({
  googleSearch: "web_search",
  google_search: "web_search",
  googleSearchRetrieval: "web_search",
  codeExecution: "code_execution",
  code_execution: "code_execution",
});

/** A schema with types in lower case, as JSON Schema requires; Google writes them in capitals. */
function lowercaseTypes(schema: JsonObject | null): JsonObject | null {
  if (!schema) return null;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === "type" && typeof value === "string") return [name, value.toLowerCase()];
      if (name === "properties") {
        const properties = Object.entries(recordOf(value) ?? {});
        return [
          name,
          Object.fromEntries(properties.map(([key, inner]) => [key, lowercaseTypes(recordOf(inner)) ?? {}])),
        ];
      }
      if (name === "items") return [name, lowercaseTypes(recordOf(value)) ?? {}];
      if (name === "anyOf") return [name, recordsOf(value).map(lowercaseTypes)];
      return [name, value];
    }),
  );
}

function choiceOf(config: JsonObject | null): ToolChoice | null {
  const names = textsOf(either(config, "allowedFunctionNames"));
  switch (textOf(config?.mode)?.toUpperCase()) {
    case "AUTO":
    case "VALIDATED":
      return { type: "auto" };
    case "NONE":
      return { type: "none" };
    case "ANY": {
      const [only] = names;
      if (names.length === 1 && only !== undefined) return { type: "tool", name: only, kind: "function" };
      return names.length > 1 ? { type: "allowed", mode: "required", names } : { type: "required" };
    }
    default:
      return null;
  }
}

function readGeneration(conversation: Conversation, config: JsonObject | null): void {
  if (!config) return;
  const option = (name: string) => either(config, name);
  conversation.sampling = {
    maxOutputTokens: numberOf(option("maxOutputTokens")),
    temperature: numberOf(config.temperature),
    topP: numberOf(option("topP")),
    topK: numberOf(option("topK")),
    frequencyPenalty: numberOf(option("frequencyPenalty")),
    presencePenalty: numberOf(option("presencePenalty")),
    seed: numberOf(config.seed),
    stop: textsOf(option("stopSequences")),
    n: numberOf(option("candidateCount")),
    logprobs: option("responseLogprobs") === true ? true : null,
    topLogprobs: numberOf(config.logprobs),
    logitBias: null,
  };
  const schema = recordOf(option("responseJsonSchema")) ?? lowercaseTypes(recordOf(option("responseSchema")));
  if (schema) conversation.format = { type: "schema", name: "answer", description: null, schema, strict: null };
  else if (option("responseMimeType") === "application/json") conversation.format = { type: "json" };
  const modalities = textsOf(option("responseModalities")).map((kind) => kind.toLowerCase());
  if (modalities.length > 0) conversation.modalities = modalities;
  const thinking = recordOf(option("thinkingConfig"));
  if (!thinking) return;
  const level = textOf(either(thinking, "thinkingLevel"))?.toLowerCase();
  const budget = numberOf(either(thinking, "thinkingBudget"));
  const show = either(thinking, "includeThoughts");
  conversation.reasoning = {
    setting: budget !== null ? settingOfBudget(budget) : settingOfEffort(readEffort(level)),
    show: typeof show === "boolean" ? show : null,
    summary: null,
  };
}
