import type { JsonObject } from "../../formats/json.ts";
import { promptTexts, weighNonText } from "../../formats/openai-chat/request/summary.ts";
import { readPacked } from "../../lib/runtime/packed-files.ts";

type Encoding = { countTokens(text: string): number };
type EncodingName = "o200k_base" | "cl100k_base";

/** Text is counted in chunks and yields in between, so that a long prompt does not block other work. */
const PIECE_CHARACTERS = 16_384;
/**
 * Merging the parts of one word takes quadratic time: longer runs of letters, signs or spaces (Chinese without
 * punctuation, a line of dashes) are counted in parts of this length, which adds less than one token per part.
 */
const MAX_WORD_LENGTH = 128;
const LONG_RUNS = /[\p{L}\p{M}]{129,}|[^\s\p{L}\p{N}]{129,}|\s{129,}/gu;
/** Tokens of a message in addition to its text: role and separators. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_REQUEST = 3;
const TOKENS_PER_TOOL = 8;

const CL100K = /^(gpt-4(?!o|\.)|gpt-3\.5|text-embedding)/;

/** Tokenizers are large, so each is loaded when first needed. */
const loaded: Partial<Record<EncodingName, Promise<Encoding>>> = {};

async function load(name: EncodingName): Promise<Encoding> {
  const [{ GptEncoding }, ranks] = await Promise.all([import("gpt-tokenizer/GptEncoding"), readPacked(`${name}.json`)]);
  return GptEncoding.getEncodingApi(name, () => JSON.parse(new TextDecoder().decode(ranks)));
}

/** Counts the tokens of `text` with the tokenizer of the model's family (o200k except for older OpenAI models). */
export async function countText(model: string, text: string): Promise<number> {
  if (text === "") return 0;
  const name = CL100K.test(model) ? "cl100k_base" : "o200k_base";
  loaded[name] ??= load(name);
  const encoding = await loaded[name];
  let tokens = 0;
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    tokens += countPiece(encoding, text.slice(at, at + PIECE_CHARACTERS));
  }
  return tokens;
}

function countPiece(encoding: Encoding, piece: string): number {
  let tokens = 0;
  let counted = 0;
  for (const { 0: word, index } of piece.matchAll(LONG_RUNS)) {
    tokens += encoding.countTokens(piece.slice(counted, index));
    for (let at = 0; at < word.length; at += MAX_WORD_LENGTH) {
      tokens += encoding.countTokens(word.slice(at, at + MAX_WORD_LENGTH));
    }
    counted = index + word.length;
  }
  return tokens + encoding.countTokens(counted > 0 ? piece.slice(counted) : piece);
}

/**
 * Counts the tokens of a request's prompt locally: texts, messages, tools, token ids, and a flat estimate for media.
 */
export async function countPrompt(model: string, body: JsonObject): Promise<number> {
  const messages = Array.isArray(body.messages) ? body.messages.length : 0;
  const tools = Array.isArray(body.tools) ? body.tools.length : 0;
  return (
    (await countText(model, promptTexts(body).join("\n"))) +
    messages * TOKENS_PER_MESSAGE +
    (messages > 0 ? TOKENS_PER_REQUEST : 0) +
    tools * TOKENS_PER_TOOL +
    weighNonText(body).tokens
  );
}
