import type { ChatDialect } from "../conversation/conversation.ts";
import { type JsonObject, recordOf } from "../json.ts";

/** Paths of a request's members by the name that encoders have for them, which is OpenAI's in chats. */
type MemberNames = Readonly<Record<string, readonly string[] | NamesInUse>>;

/** Names of members and parts, of which those are meant that the request has, or its member `within`. */
type NamesInUse = Readonly<{ prefix: string; among: readonly string[]; suffix?: string; within?: string }>;

const inGroup = (group: string, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(names).map(([name, own]) => [name, own.split(" ").map((member) => `${group}.${member}`)]),
  );

/** Parts with media, whichever they are. */
const MEDIA_PARTS: NamesInUse = { prefix: "", among: ["inlineData", "fileData"] };
const GOOGLE_SEARCH: NamesInUse = { prefix: "tools: ", among: ["googleSearch", "googleSearchRetrieval"] };
const USER = ["safety_identifier", "user"];
const CACHE_MARKS: NamesInUse = { prefix: "", among: ["cache_control", "prompt_cache_breakpoint"] };
const LIFETIMES: NamesInUse = { ...CACHE_MARKS, suffix: ": ttl" };
/** OpenAI's formats have marks of their own next to those of other services. */
const MARKS = { cache_control: CACHE_MARKS, "cache_control: ttl": LIFETIMES };

const inMember = (within: string, among: string): NamesInUse => ({
  prefix: `${within}: `,
  among: among.split(" "),
  within,
});

/** The names that clients of each format have for what encoders drop; a name that is not in it is the same there. */
const BY_FORMAT: Readonly<Partial<Record<ChatDialect, MemberNames>>> = {
  "openai-chat": {
    max_tokens: ["max_completion_tokens", "max_tokens"],
    user: USER,
    tools: ["tools", "functions"],
    "tools: web_search": ["tools: web_search", "web_search_options"],
    tool_choice: ["tool_choice", "function_call"],
    logprobs: ["logprobs", "top_logprobs"],
    "document: name": ["file.filename"],
    "image: detail": ["image_url.detail"],
    reasoning_effort: ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"],
    "reasoning: show": ["reasoning.exclude"],
    "reasoning: summary": ["reasoning.summary"],
    reasoning: inMember("messages", "reasoning_content reasoning reasoning_details thinking_blocks"),
    "reasoning: signature": inMember("messages", "reasoning_details thinking_blocks"),
    "tool-call: signature": inMember("messages", "thought_signature"),
    ...MARKS,
  },
  "openai-responses": {
    max_tokens: ["max_output_tokens"],
    response_format: ["text.format"],
    verbosity: ["text.verbosity"],
    reasoning_effort: ["reasoning.effort"],
    "reasoning: summary": ["reasoning.summary", "reasoning.generate_summary"],
    reasoning: inMember("input", "reasoning"),
    "reasoning: signature": inMember("input", "encrypted_content"),
    "tool-call: signature": inMember("input", "encrypted_content"),
    ...MARKS,
    logprobs: ["top_logprobs", "include"],
    user: USER,
    system: ["instructions"],
    messages: ["input"],
    image_url: ["input_image"],
    image: ["input_image"],
    audio: ["input_audio"],
    document: ["input_file"],
    file: ["input_file"],
    "document: name": ["input_file.filename"],
    "image: detail": ["input_image.detail"],
    "tools: max_uses": ["max_tool_calls"],
    "tools: web_search": ["tools: web_search", "max_tool_calls"],
  },
  anthropic: {
    stop: ["stop_sequences"],
    response_format: ["output_config.format", "output_format"],
    reasoning_effort: ["thinking", "output_config.effort"],
    "reasoning: show": ["thinking.display"],
    reasoning: inMember("messages", "thinking redacted_thinking"),
    "reasoning: signature": inMember("messages", "signature redacted_thinking"),
    "tool-call: signature": inMember("messages", "signature"),
    user: ["metadata.user_id"],
    parallel_tool_calls: ["tool_choice.disable_parallel_tool_use"],
    image_url: ["image"],
    file: ["document"],
    "document: name": ["document.title"],
    "tool-result: toolset_name": ["tool_result.toolset_name"],
    "tool-call: toolset_name": ["tool_use.toolset_name"],
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
    "reasoning: show": ["generationConfig.thinkingConfig.includeThoughts"],
    reasoning: inMember("contents", "thought thoughtSignature"),
    "reasoning: signature": inMember("contents", "thoughtSignature"),
    "tool-call: signature": inMember("contents", "thoughtSignature"),
    tool_choice: ["toolConfig.functionCallingConfig"],
    service_tier: ["serviceTier"],
    system: ["systemInstruction"],
    messages: ["contents"],
    ...Object.fromEntries(
      ["image_url", "image", "file", "document", "audio", "input_audio", "video"].map((name) => [name, MEDIA_PARTS]),
    ),
    "tools: web_search": GOOGLE_SEARCH,
    "tools: blocked_domains": ["tools: excludeDomains"],
    "document: name": ["displayName"],
    "image: name": ["displayName"],
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
    "reasoning: show": ["generation_config.thinking_summaries"],
    reasoning: inMember("input", "thought"),
    "reasoning: signature": inMember("input", "signature"),
    "tool-call: signature": inMember("input", "signature"),
    response_format: ["response_format", "response_mime_type"],
    modalities: ["response_modalities", "response_format"],
    "tools: web_search": ["tools: google_search"],
    system: ["system_instruction"],
    messages: ["input"],
    image_url: ["image"],
    "image: detail": ["image.resolution"],
    "video: detail": ["video.resolution"],
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
    if (paths && "among" in paths) return namesInUse(paths, request);
    if (!paths || (Object.hasOwn(request, name) && !paths.includes(name))) return [name];
    const present = paths.filter((path) => path.startsWith("tools:") || has(request, path.split(".")));
    return present.length > 0 ? present : paths.slice(0, 1);
  });
  return [...new Set(names)];
}

function namesInUse({ prefix, among, suffix = "", within }: NamesInUse, request: JsonObject): string[] {
  const text = camelNames(within === undefined ? request : request[within]);
  const names = among.filter((name) => text.includes(`"${name}"`));
  return (names.length > 0 ? names : among.slice(0, 1)).map((name) => prefix + name + suffix);
}

/** The text with names in Google's spelling next to its own. */
const camelNames = (value: unknown): string =>
  (JSON.stringify(value) ?? "").replace(/"\w+_\w+":/g, (name) => name + camel(name));

/** Google's members have two spellings. */
function has(value: JsonObject, [first = "", ...rest]: readonly string[]): boolean {
  const name = Object.keys(value).find((one) => one === first || camel(one) === first);
  const inner = name === undefined ? null : value[name];
  if (inner === null || inner === undefined) return false;
  return rest.length === 0 || has(recordOf(inner) ?? {}, rest);
}

/** A member's name in camelCase, Google's canonical spelling. */
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
