import { expect, test } from "bun:test";
import { contextOverflowOf } from "./context-overflow.ts";

const OF = (message: string, code: string | null = null, type = 1, status = 400) =>
  contextOverflowOf(type, status, { code, type: "invalid_request_error", message });

/** What services say, as documented or reported, with the tokens of input, output and window in it. */
test.each<[string, number | null, number | null, number | null]>([
  // OpenAI, its newer models, its Responses API
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    1000,
    8000,
    8192,
  ],
  [
    "This model's maximum context length is 131072 tokens. However, your messages resulted in 140000 tokens.",
    140000,
    null,
    131072,
  ],
  [
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300,000 tokens. Please reduce the length of the messages.",
    300000,
    null,
    272000,
  ],
  ["Your input exceeds the context window of this model. Please adjust your input and try again.", null, null, null],
  // Anthropic
  ["prompt is too long: 210000 tokens > 200000 maximum", 210000, null, 200000],
  [
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    188240,
    21333,
    200000,
  ],
  // Gemini, Vertex AI
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1200000, null, 1048576],
  ["The input token count exceeds the maximum number of tokens allowed 1048576.", null, null, 1048576],
  [
    "Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.",
    1100000,
    null,
    1048576,
  ],
  // vLLM, SGLang, llama.cpp, LM Studio, Ollama, Hugging Face's text generation server
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    2104,
    2000,
    4096,
  ],
  ["The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 5000, null, 4096],
  [
    "You passed 4097 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3996 tokens.",
    4097,
    null,
    4096,
  ],
  [
    "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens: 130000 tokens from the input messages and 10000 tokens for the completion.",
    130000,
    10000,
    131072,
  ],
  ["The input (140000 tokens) is longer than the model's context length (131072 tokens).", 140000, null, 131072],
  ["the request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", 9000, null, 8192],
  [
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    5000,
    null,
    4096,
  ],
  ["the input length exceeds the context length", null, null, null],
  [
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
    5000,
    null,
    4096,
  ],
  // OpenRouter, Mistral, xAI, Kimi, Groq, Cerebras, Together, Fireworks, DeepInfra, Cloudflare, GitHub Copilot
  [
    "This endpoint's maximum context length is 163840 tokens. However, you requested about 172900 tokens (4429 of text input, 4631 of tool input, 163840 in the output).",
    9060,
    163840,
    163840,
  ],
  [
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    40000,
    null,
    32768,
  ],
  ["This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 200000, null, 131072],
  ["Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)", 9000, null, 8192],
  [
    "Please reduce the length of the messages or completion. Current length is 41560 while limit is 8192",
    41560,
    null,
    8192,
  ],
  ["The prompt is too long: 140000, model maximum context length: 131071", 140000, null, 131071],
  ["Input length (265330) exceeds model's maximum context length (262144).", 265330, null, 262144],
  ["Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131393, null, 131040],
  [
    "The estimated number of input and maximum output tokens (33000) exceeded this model context window limit (32768).",
    33000,
    null,
    32768,
  ],
  ["prompt token count of 140000 exceeds the limit of 128000", 140000, null, 128000],
  // Bedrock, Cohere
  ["Input is too long for requested model.", null, null, null],
  ["400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000", 9000, null, 8192],
  [
    "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    null,
    null,
    null,
  ],
  [
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4393. Try using a shorter prompt",
    4393,
    null,
    4081,
  ],
  // Qwen, GLM, MiniMax, Doubao, SiliconFlow, Baidu
  ["<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", null, null, 30720],
  ["Prompt exceeds max length", null, null, null],
  ["invalid params, context window exceeds limit (2013)", null, null, null],
  ["Total tokens of image and text exceed max message tokens", null, null, null],
  ["length of prompt_tokens (40000) must be less than max_seq_len (32768).", 40000, null, 32768],
  ["the max input characters is 20000", null, null, null],
])("is an overflow: %s", (message, input, output, limit) => {
  expect(OF(message)).toEqual({ input, output, limit });
});

test("codes say it where words do not, each at its own service", () => {
  const none = { input: null, output: null, limit: null };
  expect(OF("Too much.", "context_length_exceeded")).toEqual(none);
  expect(OF("Too much.", "1261", 26)).toEqual(none);
  expect(OF("Too much.", "1261", 1)).toBeNull();
  expect(OF("Too much.", "10907", 18)).toEqual(none);
  const context = { code: 400, type: "exceed_context_size_error", message: "Too much." };
  expect(contextOverflowOf(1, 400, context)).toEqual(none);
});

test.each<[number, string]>([
  [
    400,
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
  ],
  [400, "max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for claude-opus-4"],
  [400, "Range of max_tokens should be [1, 8192]"],
  [400, "The maximum tokens you requested exceeds the model limit of 4096"],
  [400, "Unknown parameter: 'context_window'"],
  [400, "Model context window too small (minimum is 128k tokens)"],
  [400, "temperature must be a number"],
  [400, "messages: at least one message is required"],
  [413, "Request Entity Too Large"],
  [
    413,
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce the length of the messages.",
  ],
  [429, "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000."],
  [429, "Too many tokens, please wait before trying again."],
  [503, "context deadline exceeded"],
])("%d is something else: %s", (status, message) => {
  expect(OF(message, null, 1, status)).toBeNull();
});
