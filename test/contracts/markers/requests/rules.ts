import { type JsonObject, recordOf } from "../../../../src/formats/json.ts";
import type { Loss } from "./follow.ts";
import { REASONING } from "./reasoning-rules.ts";
import type { Rule } from "./rule.ts";

/** Formats that tell a call's result by its name or place. */
const WITHOUT_CALL_IDS = "ollama palm ernie zhipu spark gemini gemini-interactions dify ai-proxy".split(" ");

const choiceOf = ({ request }: Loss): JsonObject =>
  recordOf(request.tool_choice) ??
  recordOf(recordOf(request.generation_config)?.tool_choice) ??
  recordOf(recordOf(request.toolConfig)?.functionCallingConfig) ??
  {};

const forbidsCalls = ({ request }: Loss): boolean =>
  /none/i.test(
    JSON.stringify([
      ...[request.tool_choice, request.function_call, request.toolConfig],
      recordOf(request.generation_config)?.tool_choice,
    ]),
  );

/** What asks for nothing: a request without the member means the same. */
const DEFAULTS: readonly Rule[] = [
  {
    why: "The format's default: text",
    at: {
      chat: /^(response_format\[text\]|tools\[custom\]\.custom\.format\[text\])$/,
      responses: /^(text\.format\[text\]|tools(\[namespace\]\.tools)?\[custom\]\.format\[text\])$/,
      interactions: /^response_format\[text\]$/,
    },
  },
  {
    why: "The format's default: only text is answered",
    at: { chat: /^modalities$/, gemini: /responseModalities$/, interactions: /response_modalities$/ },
    values: ["text", "TEXT"],
  },
  {
    why: "The format's default: off",
    at: {
      chat: /^(logprobs|store)$|\.strict$/,
      responses: /^store$|\.strict$/,
      messages: /\.(strict|is_error|defer_loading|disable_parallel_tool_use|enabled|eager_input_streaming)$/,
      gemini: /responseLogprobs$|\.(willContinue|thought|finished)$/,
      interactions: /^store$/,
    },
    values: [false],
  },
  {
    why: "The format's default: the model decides about tools",
    at: { messages: /^tool_choice\[auto\]$/, interactions: /tool_choice/ },
    when: ({ client, value }) => client === "messages" || value === "auto",
  },
  {
    why: "The answer has a schema, or its type is named in both places: it is JSON",
    at: { gemini: /responseMimeType$/, interactions: /mime_type$/ },
    when: ({ request }) =>
      /schema"/i.test(JSON.stringify(request)) ||
      (request.response_format !== undefined && request.response_mime_type !== undefined),
  },
  {
    why: "A location without members says nothing",
    at: { responses: /user_location$/, messages: /user_location$/ },
  },
  {
    why: "The format's default: what the search may do",
    at: { responses: /external_web_access$/ },
    values: [true],
  },
  {
    why: "The format's default: the model may call any of the allowed tools, or none",
    at: { responses: /allowed_tools\]\.mode$/, chat: /allowed_tools\.mode$/ },
    values: ["auto"],
  },
  {
    why: "The format's default: several calls",
    at: { chat: /^parallel_tool_calls$/, responses: /^parallel_tool_calls$/ },
    values: [true],
  },
  {
    why: "The format's default: the model or the service decides",
    at: {
      chat: /^(tool_choice|function_call)\[constant\]$|^service_tier$|image_url\.detail$/,
      responses: /^(tool_choice\[constant\]|service_tier|truncation)$|\.detail$/,
      messages: /^service_tier$/,
      gemini: /functionCallingConfig\.mode$/,
    },
    values: ["auto", "disabled", "AUTO", "MODE_UNSPECIFIED", undefined],
  },
  {
    why: "The format's default: five minutes",
    at: { messages: /cache_control\.ttl$/ },
    values: ["5m"],
  },
  {
    why: "The format's default: how much is found",
    at: { chat: /search_context_size$/, responses: /search_context_size$/ },
    values: ["medium"],
  },
];

/** What another member says already. */
const COVERED: readonly Rule[] = [
  {
    why: "Both names of one limit: the newer one counts",
    at: { chat: /^max_(completion_)?tokens$/ },
    when: ({ request }) => request.max_completion_tokens !== undefined && request.max_tokens !== undefined,
  },
  {
    why: "Both names of one wish for summaries: the newer one counts",
    at: { responses: /^reasoning\.generate_summary$/ },
    when: ({ request }) => recordOf(request.reasoning)?.summary !== undefined,
  },
  {
    why: "Both names of one id: the newer one counts",
    at: { chat: /^user$/, responses: /^user$/ },
    when: ({ request }) => request.safety_identifier !== undefined,
  },
  {
    why: "Tools that the choice does not allow are not offered, where the format has no member for that",
    at: { chat: /^(tools|functions)/, responses: /^tools/, gemini: /^tools/, interactions: /^tools/ },
    when: (loss) => {
      const { type, allowed_tools, allowedFunctionNames } = choiceOf(loss);
      return type === "allowed_tools" || allowed_tools !== undefined || allowedFunctionNames !== undefined;
    },
  },
  {
    why: "The ids of calls pair them with their results, which these formats do by name and place",
    at: {
      chat: /(tool_calls\[\w+\]\.id|tool_call_id)$/,
      responses: /\.call_id$/,
      messages: /(\[tool_use\]\.id|\.tool_use_id)$/,
      gemini: /function(Call|Response)\.id$/,
      interactions: /(\[function_call\]\.id|\.call_id)$/,
    },
    formats: WITHOUT_CALL_IDS,
  },
];

/** Parts of earlier answers, which concern the provider that wrote them. */
const HISTORY: readonly Rule[] = [
  {
    why: "Citations of an earlier answer point into its provider's documents; its words arrive",
    at: {
      messages: /\.citations\[\w+_location\]/,
      responses: /\.annotations|\.logprobs/,
      interactions: /\.annotations/,
    },
  },
  {
    why: "An earlier search by Anthropic: the answer has what it found",
    at: { messages: /\[assistant\]\.content\[(server_tool_use|web_search_tool_result)\]/ },
  },
  {
    why: "A document of images alone becomes its images, which nobody cites",
    at: { messages: /\[document\]\.citations\.enabled$/ },
    when: ({ request }) => /"source":\{"content":/.test(JSON.stringify(request)),
  },
  {
    why: "Which of Anthropic's programs made a call is of no use elsewhere",
    at: { messages: /\.caller\b/ },
  },
  {
    why: "How a call's input is cut into pieces in a stream changes nothing in it",
    at: { messages: /\.eager_input_streaming$/ },
  },
  {
    why: "A second search tool adds nothing but its options, which are named",
    at: {
      messages: /^tools\[web_search_\d+\]$/,
      responses: /^tools\[web_search/,
      interactions: /^tools\[google_search\]$/,
    },
  },
];

/** What the target does anyway, or has in another form. */
const OTHERWISE: readonly Rule[] = [
  {
    why: "A schema's name labels it for OpenAI's cache; others have no place for it",
    at: { chat: /json_schema\.name$/, responses: /json_schema\]\.name$/ },
  },
  {
    why: "These formats hold every answer and every forced call to its schema",
    at: { chat: /\.strict$/, responses: /\.strict$/, messages: /\.strict$/ },
    formats: ["anthropic", "gemini", "gemini-interactions", "ollama", "converse", "cohere"],
    values: [true],
  },
  {
    why: "The version of a web search is of OpenAI's own",
    at: { responses: /^(tools|tool_choice)\[(web_search|web_search_preview|file_search)\]\.type$/ },
  },
  {
    why: "Where every call is forbidden, how many at once is no question",
    at: { chat: /^parallel_tool_calls$/, responses: /^parallel_tool_calls$/ },
    when: (loss) => forbidsCalls(loss),
  },
  {
    why: "The gateway stores the conversation itself, whichever provider answers",
    at: { responses: /^store$/, interactions: /^store$/ },
  },
  {
    why: "Asks for members of answers that only OpenAI's tools and images have, which are named themselves",
    at: { responses: /^include$/ },
  },
  {
    why: "Forces one tool by offering no other and requiring a call",
    at: {
      chat: /^(tools|functions)/,
      responses: /^tools/,
      messages: /^tools/,
      gemini: /^tools/,
      interactions: /^tools/,
    },
    formats: ["cohere", "hunyuan"],
    when: ({ request, sent }) =>
      (request.tool_choice ?? request.function_call) !== undefined && /REQUIRED|"ToolChoice"/.test(sent.body),
  },
  {
    why: "A function that may not be called is not offered, where the format has no member for that",
    at: {
      chat: /^(tools|functions)/,
      responses: /^tools/,
      messages: /^tools/,
      gemini: /^tools/,
      interactions: /^tools/,
    },
    formats: ["ollama", "ernie", "spark", "hunyuan", "converse", "gemini", "gemini-interactions"],
    when: (loss) => forbidsCalls(loss),
  },
  {
    why: "Where a service takes instructions only at the beginning, they join a user's message, which has one author",
    at: { chat: /^messages\[(system|developer|user)\]\.name$/ },
    formats: ["openai-chat", "dashscope"],
  },
  {
    why: "GLM has no choice but auto: where calls are forbidden, no tools are offered",
    at: {
      chat: /^(tools|functions)/,
      responses: /^tools/,
      messages: /^tools/,
      gemini: /^tools/,
      interactions: /^tools/,
    },
    when: (loss) => forbidsCalls(loss) && [16, 26].includes(loss.service.type),
  },
  {
    why: "Mistral's ids of calls have nine characters",
    at: {
      chat: /tool_call_id$|tool_calls\[\w+\]\.id$/,
      responses: /call_id$/,
      messages: /tool_use(\]\.|_)id$/,
      gemini: /function\w+\.id$/,
    },
    when: ({ service }) => service.type === 42,
  },
  {
    why: "Ollama tells the type of an image from its bytes",
    at: { messages: /media_type$/, gemini: /mimeType$/, interactions: /mime_type$/ },
    formats: ["ollama"],
  },
  {
    why: "A limit above the service's highest is its highest",
    at: { messages: /^max_tokens$/ },
    formats: ["spark"],
  },
  {
    why: "Mistral tells the format of audio from its bytes",
    at: { chat: /input_audio\.format$/, responses: /input_audio\.format$/ },
    when: ({ service }) => service.type === 42,
  },
  {
    why: "A knowledge base is asked one question: instructions and earlier turns are named together",
    at: {
      chat: /^messages/,
      responses: /^(input|instructions)/,
      messages: /^(system|messages)/,
      gemini: /^(contents|systemInstruction)/,
      interactions: /^(input|system_instruction)/,
    },
    formats: ["ai-proxy"],
    when: ({ sent }) => sent.dropped.length > 0,
  },
];

export const RULES: readonly Rule[] = [...DEFAULTS, ...COVERED, ...REASONING, ...HISTORY, ...OTHERWISE];
