import { camel } from "../gemini/parts.ts";
import { type JsonObject, recordOf } from "../json.ts";
import type { ChatDialect } from "./conversation.ts";

/** Paths of a request's members by the name that encoders have for them, which is OpenAI's in chats. */
type MemberNames = Readonly<Record<string, readonly string[]>>;

const inGroup = (group: string, names: Readonly<Record<string, string>>): MemberNames =>
  Object.fromEntries(
    Object.entries(names).map(([name, own]) => [name, own.split(" ").map((member) => `${group}.${member}`)]),
  );

const USER = ["safety_identifier", "user"];

/** The names that clients of each format have for what encoders drop; a name that is not in it is the same there. */
const BY_FORMAT: Readonly<Partial<Record<ChatDialect, MemberNames>>> = {
  "openai-chat": {
    max_tokens: ["max_completion_tokens", "max_tokens"],
    user: USER,
    tools: ["tools", "functions"],
    tool_choice: ["tool_choice", "function_call"],
    logprobs: ["logprobs", "top_logprobs"],
    reasoning_effort: ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"],
  },
  "openai-responses": {
    max_tokens: ["max_output_tokens"],
    response_format: ["text.format"],
    verbosity: ["text.verbosity"],
    reasoning_effort: ["reasoning.effort", "reasoning"],
    logprobs: ["top_logprobs", "include"],
    user: USER,
    system: ["instructions"],
    messages: ["input"],
    image_url: ["input_image"],
    image: ["input_image"],
    audio: ["input_audio"],
    document: ["input_file"],
  },
  anthropic: {
    stop: ["stop_sequences"],
    response_format: ["output_config.format", "output_format"],
    reasoning_effort: ["thinking", "output_config.effort"],
    user: ["metadata.user_id"],
    parallel_tool_calls: ["tool_choice.disable_parallel_tool_use"],
    image_url: ["image"],
  },
  gemini: {
    ...inGroup("generationConfig", {
      max_tokens: "maxOutputTokens",
      temperature: "temperature",
      top_p: "topP",
      top_k: "topK",
      frequency_penalty: "frequencyPenalty",
      presence_penalty: "presencePenalty",
      seed: "seed",
      stop: "stopSequences",
      n: "candidateCount",
      logprobs: "responseLogprobs logprobs",
      top_logprobs: "logprobs",
      response_format: "responseSchema responseJsonSchema responseMimeType",
      modalities: "responseModalities",
      reasoning_effort: "thinkingConfig",
    }),
    tool_choice: ["toolConfig.functionCallingConfig"],
    service_tier: ["serviceTier"],
    system: ["systemInstruction"],
    messages: ["contents"],
    image_url: ["image"],
  },
  "gemini-interactions": {
    ...inGroup("generation_config", {
      max_tokens: "max_output_tokens",
      temperature: "temperature",
      top_p: "top_p",
      seed: "seed",
      stop: "stop_sequences",
      tool_choice: "tool_choice",
      reasoning_effort: "thinking_level thinking_summaries",
    }),
    response_format: ["response_format", "response_mime_type"],
    modalities: ["response_modalities"],
    system: ["system_instruction"],
    messages: ["input"],
    image_url: ["image"],
  },
};

/**
 * The names of dropped fields as the client of a format knows them: paths of members that its request has. A name that
 * encoders share with the format stays.
 */
export function inClientNames(dropped: Iterable<string>, format: ChatDialect, request: JsonObject): string[] {
  const known = BY_FORMAT[format] ?? {};
  const names = [...dropped].flatMap((name) => {
    const paths = known[name];
    if (!paths) return [name];
    const present = paths.filter((path) => has(request, path.split(".")));
    return present.length > 0 ? present : paths.slice(0, 1);
  });
  return [...new Set(names)];
}

/** Google's members have two spellings. */
function has(value: JsonObject, [first = "", ...rest]: readonly string[]): boolean {
  const name = Object.keys(value).find((one) => one === first || camel(one) === first);
  const inner = name === undefined ? null : value[name];
  if (inner === null || inner === undefined) return false;
  return rest.length === 0 || has(recordOf(inner) ?? {}, rest);
}
