import { recordOf, recordsOf } from "../../dialects/json.ts";
import type { FurtherName, ProviderName } from "./cells.ts";
import { ask, type DoorName } from "./doors.ts";

const PDF = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
const SOUND = Buffer.from("RIFF....WAVEfmt ").toString("base64");
const USER = "user-4711";
const METADATA = { ticket: "4711" };
const QUESTION = "What is the weather in Ghent?";

type Part = Readonly<Record<string, unknown>>;

/** How each format says what its clients may ask for besides. */
const PARTS: Readonly<Record<DoorName, Partial<Record<FurtherName, Part>>>> = {
  chat: {
    document: { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
    "audio-input": { type: "input_audio", input_audio: { data: SOUND, format: "wav" } },
  },
  responses: {
    document: { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
  },
  messages: {
    document: { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
  },
  gemini: {
    document: { inlineData: { mimeType: "application/pdf", data: PDF } },
    "audio-input": { inlineData: { mimeType: "audio/wav", data: SOUND } },
  },
};
const MEMBERS: Readonly<Record<DoorName, Partial<Record<FurtherName, Part>>>> = {
  chat: {
    user: { user: USER },
    several: { n: 2 },
    logprobs: { logprobs: true, top_logprobs: 1 },
    tier: { service_tier: "default" },
    metadata: { metadata: METADATA },
  },
  responses: {
    user: { safety_identifier: USER },
    tier: { service_tier: "default" },
    metadata: { metadata: METADATA },
    logprobs: { include: ["message.output_text.logprobs"], top_logprobs: 1 },
  },
  messages: { user: { metadata: { user_id: USER } }, tier: { service_tier: "standard_only" } },
  gemini: {
    tier: { serviceTier: "standard" },
    several: { generationConfig: { candidateCount: 2 } },
    logprobs: { generationConfig: { responseLogprobs: true, logprobs: 1 } },
  },
};
const LISTS = { chat: "messages", responses: "input", messages: "messages", gemini: "contents" } as const;

/** A request of the door for one further feature. */
export function askFor(door: DoorName, feature: FurtherName, model: string, stream: boolean) {
  const { path, body } = ask[door]({ text: QUESTION }, model, stream);
  const part = PARTS[door][feature];
  const list = recordsOf(body[LISTS[door]]).map((message) => {
    if (!part || message.role !== "user") return message;
    if (door === "gemini") return { ...message, parts: [...recordsOf(message.parts), part] };
    const { content } = message;
    return { ...message, content: [...(Array.isArray(content) ? recordsOf(content) : [textPart(content)]), part] };
  });
  return { path, body: { ...body, [LISTS[door]]: list, ...recordOf(MEMBERS[door][feature]) } };
}

const textPart = (text: unknown): Part => ({ type: "text", text });

type Marks = Partial<Record<FurtherName, readonly string[]>>;

const OPENAI: Marks = { tier: ['"service_tier":"default"'], metadata: ['"metadata":{"ticket":"4711"}'] };

const CLAUDE: Marks = {
  document: ['"type":"document"', '"media_type":"application/pdf"', PDF],
  user: [`"metadata":{"user_id":"${USER}"}`],
};

/** What must stand in a provider's request so that it knows of the wish. */
export const MARKS: Readonly<Partial<Record<ProviderName, Marks>>> = {
  "openai-chat": {
    ...OPENAI,
    document: ['"type":"file"', `"file_data":"data:application/pdf;base64,${PDF}"`],
    "audio-input": ['"type":"input_audio"', `"data":"${SOUND}"`, '"format":"wav"'],
    user: [`"user":"${USER}"`],
    several: ['"n":2'],
    logprobs: ['"logprobs":true', '"top_logprobs":1'],
  },
  "openai-responses": {
    ...OPENAI,
    document: ['"type":"input_file"', `"file_data":"data:application/pdf;base64,${PDF}"`],
    user: [`"safety_identifier":"${USER}"`],
    logprobs: ['"message.output_text.logprobs"', '"top_logprobs":1'],
  },
  anthropic: { ...CLAUDE, tier: ['"service_tier":"standard_only"'] },
  bedrock: CLAUDE,
  gemini: {
    tier: ['"serviceTier":"standard"'],
    document: ['"mimeType":"application/pdf"', PDF],
    "audio-input": ['"mimeType":"audio/wav"', SOUND],
    several: ['"candidateCount":2'],
    logprobs: ['"responseLogprobs":true', '"logprobs":1'],
  },
  converse: {
    document: ['"document":{"format":"pdf"', `"source":{"bytes":"${PDF}"}`],
    tier: ['"serviceTier":{"type":"default"}'],
    metadata: ['"requestMetadata":{"ticket":"4711"}'],
  },
  hunyuan: {},
  palm: { several: ['"candidateCount":2'] },
  qianfan: { user: [`"user_id":"${USER}"`] },
  spark: { user: [`"uid":"${USER}"`] },
  dify: { user: [`"user":"${USER}"`] },
  ollama: { logprobs: ['"logprobs":true', '"top_logprobs":1'] },
  cohere: {},
  dashscope: {
    "audio-input": [SOUND],
    several: ['"n":2'],
    logprobs: ['"logprobs":true', '"top_logprobs":1'],
  },
  mistral: {
    document: ['"type":"document_url"', `"document_url":"data:application/pdf;base64,${PDF}"`],
    "audio-input": [`"input_audio":"${SOUND}"`],
    several: ['"n":2'],
    metadata: ['"metadata":{"ticket":"4711"}'],
  },
};
