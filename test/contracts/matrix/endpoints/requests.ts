import { type JsonObject, recordOf, recordsOf } from "../../../../src/formats/json.ts";
import type { FurtherName, ProviderName } from "../cells.ts";
import { ask, type ClientFormat } from "../client-formats.ts";
import { RESULT } from "../conversation.ts";

const PDF = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
const AUDIO = Buffer.from("RIFF....WAVEfmt ").toString("base64");
const USER = "user-4711";
const METADATA = { ticket: "4711" };
const IMAGE_DATA = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FAILURE = "The station does not answer";
export const SHELL = "shell";
const QUESTION = "What is the weather in Ghent?";

type Part = Readonly<Record<string, unknown>>;

/** How each format says what its clients may ask for besides. */
const PARTS: Readonly<Record<ClientFormat, Partial<Record<FurtherName, Part>>>> = {
  chat: {
    document: { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
    "audio-input": { type: "input_audio", input_audio: { data: AUDIO, format: "wav" } },
  },
  responses: {
    document: { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
  },
  messages: {
    document: { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
  },
  gemini: {
    document: { inlineData: { mimeType: "application/pdf", data: PDF } },
    "audio-input": { inlineData: { mimeType: "audio/wav", data: AUDIO } },
  },
  interactions: {
    document: { type: "document", mime_type: "application/pdf", data: PDF },
    "audio-input": { type: "audio", mime_type: "audio/wav", data: AUDIO },
  },
};
const MEMBERS: Readonly<Record<ClientFormat, Partial<Record<FurtherName, Part>>>> = {
  chat: {
    user: { user: USER },
    several: { n: 2 },
    logprobs: { logprobs: true, top_logprobs: 1 },
    tier: { service_tier: "default" },
    metadata: { metadata: METADATA },
    custom: { tools: [{ type: "custom", custom: { name: SHELL, description: "Runs it." } }] },
    search: { web_search_options: {} },
  },
  responses: {
    custom: { tools: [{ type: "custom", name: SHELL, description: "Runs it." }] },
    search: { tools: [{ type: "web_search" }] },
    user: { safety_identifier: USER },
    tier: { service_tier: "default" },
    metadata: { metadata: METADATA },
    logprobs: { include: ["message.output_text.logprobs"], top_logprobs: 1 },
  },
  messages: {
    user: { metadata: { user_id: USER } },
    tier: { service_tier: "standard_only" },
    search: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
  },
  gemini: {
    search: { tools: [{ googleSearch: {} }] },
    tier: { serviceTier: "standard" },
    several: { generationConfig: { candidateCount: 2 } },
    logprobs: { generationConfig: { responseLogprobs: true, logprobs: 1 } },
  },
  interactions: {
    search: { tools: [{ type: "google_search" }] },
    tier: { service_tier: "standard" },
  },
};
/** What a tool gave back, in each format. */
const RESULTS: Readonly<Record<ClientFormat, Partial<Record<FurtherName, Part>>>> = {
  chat: {},
  responses: {
    "result-image": {
      output: [
        { type: "input_text", text: RESULT },
        { type: "input_image", image_url: `data:image/png;base64,${IMAGE_DATA}`, detail: "auto" },
      ],
    },
  },
  messages: {
    "result-image": {
      content: [
        { type: "text", text: RESULT },
        { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE_DATA } },
      ],
    },
    "result-error": { content: FAILURE, is_error: true },
  },
  gemini: {
    "result-image": { parts: [{ inlineData: { mimeType: "image/png", data: IMAGE_DATA } }] },
    "result-error": { response: { error: FAILURE } },
  },
  interactions: {
    "result-image": {
      result: [
        { type: "text", text: RESULT },
        { type: "image", mime_type: "image/png", data: IMAGE_DATA },
      ],
    },
    "result-error": { result: FAILURE, is_error: true },
  },
};
const LISTS = {
  chat: "messages",
  responses: "input",
  messages: "messages",
  gemini: "contents",
  interactions: "input",
} as const;

/** A request in the client format for one further feature. */
export function askFor(client: ClientFormat, feature: FurtherName, model: string, stream: boolean) {
  const calls = feature === "strict" || feature.startsWith("result-");
  const wish = { text: QUESTION, ...(calls && { tools: true, withToolResult: feature !== "strict" }) };
  const { path, body } = ask[client](wish, model, stream);
  const part = PARTS[client][feature];
  const list = recordsOf(body[LISTS[client]])
    .map((message) => withResult(client, feature, message))
    .map((message) => {
      if (!part || (message.role !== "user" && message.type !== "user_input")) return message;
      if (client === "gemini") return { ...message, parts: [...recordsOf(message.parts), part] };
      const { content } = message;
      return { ...message, content: [...(Array.isArray(content) ? recordsOf(content) : [textPart(content)]), part] };
    });
  const tools = feature === "strict" ? { tools: recordsOf(body.tools).map(strictly) } : null;
  return { path, body: { ...body, ...tools, [LISTS[client]]: list, ...recordOf(MEMBERS[client][feature]) } };
}

/** The turn with what its tool gave back. */
function withResult(client: ClientFormat, feature: FurtherName, message: JsonObject): JsonObject {
  const results = RESULTS[client][feature];
  if (!results) return message;
  if (message.type === "function_call_output" || message.type === "function_result") return { ...message, ...results };
  const own = client === "gemini" ? "parts" : "content";
  if (!Array.isArray(message[own])) return message;
  const parts = recordsOf(message[own]).map((part) => {
    if (part.type === "tool_result") return { ...part, ...results };
    const response = recordOf(part.functionResponse);
    return response ? { ...part, functionResponse: { ...response, ...results } } : part;
  });
  return { ...message, [own]: parts };
}

const strictly = (tool: JsonObject): JsonObject => {
  const called = recordOf(tool.function);
  return called ? { ...tool, function: { ...called, strict: true } } : { ...tool, strict: true };
};

const textPart = (text: unknown): Part => ({ type: "text", text });

type Marks = Partial<Record<FurtherName, readonly string[]>>;

const IMAGE = [RESULT, IMAGE_DATA];
const IN_WORDS = [`Error: ${FAILURE}`];

const FREE_TEXT = [SHELL, '"properties":{"input":{"type":"string"}}'];
const OPENAI: Marks = {
  custom: ['"type":"custom"', SHELL],
  "result-image": IMAGE,
  "result-error": IN_WORDS,
  strict: ['"strict":true'],
  tier: ['"service_tier":"default"'],
  metadata: ['"metadata":{"ticket":"4711"}'],
};

const CLAUDE: Marks = {
  custom: FREE_TEXT,
  "result-image": [`"content":[{"type":"text","text":"${RESULT}"},{"type":"image"`, ...IMAGE],
  "result-error": ['"is_error":true', FAILURE],
  strict: ['"strict":true'],
  document: ['"type":"document"', '"media_type":"application/pdf"', PDF],
  user: [`"metadata":{"user_id":"${USER}"}`],
};

/** What must stand in a provider's request so that it knows of the wish. */
export const MARKS: Readonly<Partial<Record<ProviderName, Marks>>> = {
  "openai-chat": {
    ...OPENAI,
    document: ['"type":"file"', `"file_data":"data:application/pdf;base64,${PDF}"`],
    "audio-input": ['"type":"input_audio"', `"data":"${AUDIO}"`, '"format":"wav"'],
    user: [`"user":"${USER}"`],
    several: ['"n":2'],
    logprobs: ['"logprobs":true', '"top_logprobs":1'],
  },
  "openai-responses": {
    ...OPENAI,
    search: ['{"type":"web_search"'],
    document: ['"type":"input_file"', `"file_data":"data:application/pdf;base64,${PDF}"`],
    user: [`"safety_identifier":"${USER}"`],
    logprobs: ['"message.output_text.logprobs"', '"top_logprobs":1'],
  },
  anthropic: {
    ...CLAUDE,
    search: ['{"type":"web_search_20250305","name":"web_search"'],
    tier: ['"service_tier":"standard_only"'],
  },
  bedrock: CLAUDE,
  gemini: {
    custom: FREE_TEXT,
    search: ['"tools":[{"googleSearch":{}}]'],
    "result-image": IMAGE,
    "result-error": [`"response":{"error":"${FAILURE}"}`],
    strict: ['"mode":"VALIDATED"'],
    tier: ['"serviceTier":"standard"'],
    document: ['"mimeType":"application/pdf"', PDF],
    "audio-input": ['"mimeType":"audio/wav"', AUDIO],
    several: ['"candidateCount":2'],
    logprobs: ['"responseLogprobs":true', '"logprobs":1'],
  },
  converse: {
    custom: FREE_TEXT,
    "result-image": [`"content":[{"text":"${RESULT}"},{"image"`, ...IMAGE],
    "result-error": [FAILURE, '"status":"error"'],
    strict: ['"strict":true', '"additionalProperties":false'],
    document: ['"document":{"format":"pdf"', `"source":{"bytes":"${PDF}"}`],
    tier: ['"serviceTier":{"type":"default"}'],
    metadata: ['"requestMetadata":{"ticket":"4711"}'],
  },
  hunyuan: { custom: [SHELL], search: ['"EnableEnhancement":true'], "result-image": IMAGE, "result-error": IN_WORDS },
  palm: { several: ['"candidateCount":2'] },
  qianfan: { custom: FREE_TEXT, "result-error": IN_WORDS, user: [`"user_id":"${USER}"`] },
  spark: { custom: FREE_TEXT, user: [`"uid":"${USER}"`] },
  dify: { user: [`"user":"${USER}"`] },
  ollama: {
    custom: FREE_TEXT,
    "result-image": IMAGE,
    "result-error": IN_WORDS,
    logprobs: ['"logprobs":true', '"top_logprobs":1'],
  },
  cohere: { custom: FREE_TEXT, "result-image": IMAGE, "result-error": IN_WORDS, strict: ['"strict_tools":true'] },
  dashscope: {
    custom: FREE_TEXT,
    search: ['"enable_search":true'],
    "result-image": IMAGE,
    "result-error": IN_WORDS,
    "audio-input": [AUDIO],
    several: ['"n":2'],
    logprobs: ['"logprobs":true', '"top_logprobs":1'],
  },
  mistral: {
    custom: FREE_TEXT,
    "result-image": IMAGE,
    "result-error": IN_WORDS,
    strict: ['"strict":true'],
    document: ['"type":"document_url"', `"document_url":"data:application/pdf;base64,${PDF}"`],
    "audio-input": [`"input_audio":"${AUDIO}"`],
    several: ['"n":2'],
    metadata: ['"metadata":{"ticket":"4711"}'],
  },
};
