import type { ContextOverflow } from "../../formats/conversation/context-overflow.ts";
import { factsOf } from "../registry.ts";
import { fits, type SignedError } from "./error-meaning.ts";

/** Codes and types of errors that mean nothing else. */
const CODES =
  /^(?:context_(?:length|window)_exceeded|model_context_window_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded|prompt_too_long)$/;

/** How providers, and servers that one runs, say that a request does not fit the model's context window. */
const PATTERNS: readonly RegExp[] = [
  // OpenAI and the many that repeat it (DeepSeek, vLLM, SGLang, OpenRouter, LiteLLM), xAI, Fireworks, Mistral, Step
  /maximum (?:context|prompt|model|input|sequence) length|maximum allowed input length/i,
  /exceed\w*\b.{0,80}\bcontext (?:window|length|size|limit)|context[ _](?:window|length|size|limit)\b.{0,60}\bexceed/i,
  /tokens? exceed\w* the (?:configured )?limit/i,
  // Anthropic (also on Bedrock and Vertex), Fireworks, Bedrock's other models
  /(?:prompt|input|conversation|messages?) (?:is|are) too (?:long|large)/i,
  // Gemini, Vertex, GitHub Copilot
  /(?:input|prompt) token count .{0,40}(?:exceeds|only supports)|input token count is \d+ but/i,
  // Cohere, Bedrock Titan and Nova, Mistral
  /too many (?:input )?tokens\b|input tokens exceeded|number of input tokens exceeds|too large for model with/i,
  // Kimi, Groq, Cerebras, Databricks
  /exceeded model token limit|reduce the length of (?:the |your )?(?:messages|prompt|input|conversation)/i,
  // Qwen, GLM, Doubao, SiliconFlow, Hunyuan, Baidu, Spark, MiniMax
  /range of input length|input length \(?\d+\)? exceed|prompt exceed(?:s|ed) max|exceed max message tokens/i,
  /prompt_tokens \(\d+\) must be less than|max input (?:characters|length|tokens)\b/i,
  // Together, SGLang, Hugging Face's text generation server, LM Studio, Ollama
  /longer than the (?:model's )?(?:maximum )?(?:context|model|input) length|`inputs` tokens \+ `max_new_tokens` must/i,
  /greater than the context length|input length exceeds|with context length of only|the model's context length is only/i,
];

/** A limit of tokens or requests in a time, not of the model, in whatever words about size. */
const RATE = /per[ _]min|per[ _]day|\bTP[MD]\b|rate[ _]limit|too many requests|quota/i;
/** Statuses that speak of the account, the key, or the time. */
const OTHER_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 429]);

/** What a service says about a request that does not fit its model; null: the error is another. */
export function contextOverflowOf(channelType: number, status: number, error: SignedError): ContextOverflow | null {
  const { message, type } = error;
  const code = String(error.serviceCode ?? error.code);
  const signs = factsOf(channelType)?.errors?.context_overflow ?? [];
  const bySign = CODES.test(code) || CODES.test(type) || signs.some((sign) => fits(sign, status, error, () => true));
  const byWords = () =>
    !OTHER_STATUSES.has(status) && !RATE.test(message) && PATTERNS.some((pattern) => pattern.test(message));
  return bySign || byWords() ? readOverflow(message) : null;
}

const LIMIT: readonly RegExp[] = [
  /tokens > (\d+)/i,
  /\+ \d+ > (\d+)/,
  /range of input length should be \[\d+, ?(\d+)\]/i,
  /(\d+) maximum context length/i,
  /(?:context|prompt|model|sequence|allowed input) (?:length|size)\W{0,3}(?:is|of|:)?(?: only)? ?\(?(\d{2,})/i,
  /context window limit \((\d+)/i,
  /maximum number of tokens allowed \(?(\d+)/i,
  /(?:configured limit of|token limit:|cannot exceed|must be <=|limit is|exceeds the limit of|max input tokens:|only supports up to|max_seq_len)[ (]{1,2}(\d+)/i,
];

const INPUT: readonly RegExp[] = [
  /(\d+) tokens > \d/i,
  /context limit: (\d+) \+/i,
  /(\d+) (?:tokens )?(?:in|from) (?:the |your )?(?:input )?(?:messages|prompt)/i,
  /(?:messages resulted in|request has|passed|request contains|prompt contains|too long:) (\d+)/i,
  /prompt \(length (\d+)/i,
  /(?:input|prompt) token count(?: is| of|:)? \(?(\d+)/i,
  /(?:request|input) \((\d+) tokens/i,
  /(?:requested:|received|current length is|keep the first) (\d+)/i,
  /input length \(?(\d+)\)? exceeds/i,
  /(\d+) `inputs`/i,
  /prompt_tokens \((\d+)/i,
];

const OUTPUT: readonly RegExp[] = [
  /(\d+) (?:tokens )?(?:in|for) the (?:completion|output)/i,
  /\+ (\d+) > \d/,
  /is too large: (\d+)/i,
  /requested (\d+) output/i,
  /and (\d+) `max_new_tokens`/i,
];

const TOTAL: readonly RegExp[] = [
  /requested (?:about |a total of )?(\d+) tokens/i,
  /maximum output tokens \((\d+)/i,
  /requested:? (\d+) tokens/i,
];

/** Reads the numbers of tokens from a provider's sentence; what it does not say is null. */
function readOverflow(message: string): ContextOverflow {
  const text = message.replace(/(?<=\d),(?=\d{3})/g, "");
  const limit = firstNumber(LIMIT, text);
  const output = firstNumber(OUTPUT, text);
  const total = firstNumber(TOTAL, text);
  const stated = firstNumber(INPUT, text) ?? (total === null ? null : total - (output ?? 0));
  // What fits can't be the count that was too much.
  const fits = stated !== null && limit !== null && stated <= limit;
  if (fits && output === null) return { input: null, output: null, limit };
  return { input: stated, output: fits ? output : null, limit };
}

function firstNumber(patterns: readonly RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}
