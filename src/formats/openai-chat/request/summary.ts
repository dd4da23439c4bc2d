import { DecodeError } from "../../conversation/codec.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { embeddedMedia, partsOfEntry } from "../../gemini/embedded-contents.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../json.ts";
import { decodeRequest } from "./decode-request.ts";

/** What the gateway must know about a request in OpenAI's formats, read without changing it. */
export type RequestSummary = {
  model: string;
  stream: boolean;
  /** The client itself requests a usage chunk. */
  wantsUsage: boolean;
  /** Choices per prompt. */
  choices: number;
  /** The larger of max_tokens and max_completion_tokens; null if neither is set. */
  maxOutputTokens: number | null;
  reasoningEffort: string | null;
};

/** A request as the gateway reads it. */
type ReadRequest = Readonly<{
  summary: RequestSummary;
  prompt: JsonObject;
  /** A chat in the neutral format; null for other requests. Throws DecodeError. */
  conversation: (() => Conversation) | null;
}>;

/** What a request's URL names; its model is the one that counts, as at Azure. */
type NamedInPath = Readonly<{ model: string }> | null;

/** Reads a chat. Throws DecodeError if it has no messages. */
export function readChat(body: JsonObject, path: NamedInPath): ReadRequest {
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    throw new DecodeError({ code: "gateway_no_messages" }, "messages");
  }
  return { summary: summarize(body, path?.model), prompt: body, conversation: () => decodeRequest(body) };
}

/** Reads any other request in OpenAI's formats. */
export const readOpenAi = (body: JsonObject, path: NamedInPath): ReadRequest => ({
  summary: summarize(body, path?.model),
  prompt: body,
  conversation: null,
});

/** What routing and pricing need of a chat request. A `model` that is given counts in place of the body's. */
export function summarize(body: JsonObject, model = textOf(body.model) ?? ""): RequestSummary {
  const limit = Math.max(countOf(body.max_tokens) ?? 0, countOf(body.max_completion_tokens) ?? 0);
  return {
    model,
    stream: body.stream === true,
    wantsUsage: recordOf(body.stream_options)?.include_usage === true,
    choices: Math.max(1, countOf(body.n) ?? 1, countOf(body.best_of) ?? 1),
    maxOutputTokens: limit > 0 ? limit : null,
    reasoningEffort: textOf(body.reasoning_effort),
  };
}

/** Every text of the prompt: messages (names and tool calls included), prompt, input, tools. */
export function promptTexts(body: JsonObject): string[] {
  const texts: string[] = [];
  for (const item of Array.isArray(body.messages) ? body.messages : []) {
    const message = recordOf(item);
    if (!message) continue;
    addTexts(message.name, texts);
    addTexts(message.reasoning_content, texts);
    addContent(message.content, texts);
    for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
      const called = recordOf(recordOf(call)?.function);
      addTexts(called?.name, texts);
      addTexts(called?.arguments, texts);
    }
  }
  addTexts(body.prompt, texts);
  addTexts(body.suffix, texts);
  addTexts(body.input, texts);
  for (const item of Array.isArray(body.input) ? body.input : []) {
    // An entry to embed that is an object: `{text}` of Jina's API, `{parts}` of Google's.
    const entry = recordOf(item);
    addTexts(entry?.text, texts);
    addContent(entry?.parts, texts);
  }
  for (const tool of Array.isArray(body.tools) ? body.tools : []) {
    texts.push(JSON.stringify(recordOf(tool)?.function ?? tool) ?? "");
  }
  return texts;
}

/** Adds the text of a message's content: a string, or the text parts of a list. */
export function addContent(content: unknown, texts: string[]): void {
  if (typeof content === "string") texts.push(content);
  for (const part of Array.isArray(content) ? content : []) {
    const text = textOf(recordOf(part)?.text) ?? textOf(recordOf(part)?.refusal);
    if (text !== null) texts.push(text);
  }
}

function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const item of value) if (typeof item === "string") texts.push(item);
}

/** Estimated tokens of an image (OpenAI charges at least 3 × 85, and up to 1,105 for high detail). */
const IMAGE_TOKENS = { low: 85, high: 1105 };
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5000;

/** `audioTokens`: the audio part of the tokens. `bytes`: the characters of the body that media occupy. */
export type NonTextWeight = { tokens: number; audioTokens: number; bytes: number };

/**
 * Estimates the tokens of media parts in messages and in contents to embed, and counts those of a prompt or input that consists
 * of token ids (arrays of numbers, or of arrays of numbers).
 */
export function weighNonText(body: JsonObject): NonTextWeight {
  const weight: NonTextWeight = { tokens: 0, audioTokens: 0, bytes: 0 };
  const input = body.prompt ?? body.input;
  if (Array.isArray(input)) {
    for (const item of input) weight.tokens += typeof item === "number" ? 1 : Array.isArray(item) ? item.length : 0;
  }
  if (Array.isArray(body.input)) weighContents(body.input, weight);
  if (!Array.isArray(body.messages)) return weight;
  for (const message of body.messages) {
    const content: unknown = message?.content;
    if (Array.isArray(content)) for (const part of content) weighPart(recordOf(part), weight);
  }
  return weight;
}

/** All media of contents to embed count as files. */
function weighContents(input: readonly unknown[], weight: NonTextWeight): void {
  const parts = input.flatMap((entry) => partsOfEntry(entry) ?? []);
  for (const media of parts.map(embeddedMedia)) {
    if (!media) continue;
    weight.tokens += FILE_TOKENS;
    weight.bytes += "data" in media ? media.data.length : 0;
  }
}

function weighPart(part: JsonObject | null, weight: NonTextWeight): void {
  switch (part?.type) {
    case "image_url": {
      const image = recordOf(part.image_url);
      weight.bytes += (textOf(image?.url) ?? textOf(part.image_url) ?? "").length;
      weight.tokens += image?.detail === "low" ? IMAGE_TOKENS.low : IMAGE_TOKENS.high;
      return;
    }
    case "input_audio":
      weight.bytes += textOf(recordOf(part.input_audio)?.data)?.length ?? 0;
      weight.tokens += AUDIO_TOKENS;
      weight.audioTokens += AUDIO_TOKENS;
      return;
    case "file":
      weight.bytes += textOf(recordOf(part.file)?.file_data)?.length ?? 0;
      weight.tokens += FILE_TOKENS;
      return;
  }
}

/** No common tokenizer produces more than one token per two bytes of a text's JSON. */
const MIN_BYTES_PER_TOKEN = 2;

/**
 * An upper bound of the prompt's tokens without counting them, by the size of the body, with media by kind; and an estimate of
 * those that are audio.
 */
export function boundPrompt(
  body: JsonObject,
  bodyBytes: number,
): Readonly<{ promptBound: number; promptAudioTokens: number }> {
  const { tokens, audioTokens, bytes } = weighNonText(body);
  const textTokens = Math.ceil((bodyBytes - bytes) / MIN_BYTES_PER_TOKEN);
  return { promptBound: textTokens + tokens, promptAudioTokens: audioTokens };
}

/** Whether a request in one of OpenAI's formats names MCP servers. */
export function hasMcpTool({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some((tool) => recordOf(tool)?.type === "mcp");
}
