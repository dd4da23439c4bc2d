import type { ReadError } from "../../formats/openai-chat/errors.ts";

/** How providers say that a prompt does not fit a model's context window. */
const CONTEXT_OVERFLOW = [
  // OpenAI and those that imitate it, DeepSeek, Anthropic
  /context[_ ]?(length|window|limit)|maximum context|(max|maximum) (prompt|input) length|prompt is too long/i,
  // Gemini, Cohere, Mistral, Moonshot
  /(input )?token count|too many (input )?tokens|too large for model|exceeded model token limit|token limit/i,
  // Bedrock, Qwen, Zhipu
  /input is too long|range of input length|prompt (exceeds|exceeded) max/i,
];

/** How providers say that their content policy forbids a request. */
const CONTENT_REFUSED = [
  // OpenAI, Azure OpenAI
  /content[_ ](filter|policy|management)|safety[_ ]system|moderation|ResponsibleAI/i,
  // xAI, DeepSeek, Qwen, Zhipu, Baidu
  /safety[_ ]check|content exists risk|data_?inspection_?failed|unsafe or sensitive|敏感/i,
];

/** Whether an upstream rejected a request for a limit of its model, so that another model may accept it. */
export const isModelLimit = ({ code, message }: Pick<ReadError, "code" | "message">): boolean => {
  const text = `${code} ${message}`;
  return [...CONTEXT_OVERFLOW, ...CONTENT_REFUSED].some((pattern) => pattern.test(text));
};
