import { factsOf } from "../registry.ts";
import { fits, type SignedError } from "./error-meaning.ts";

/** How services say that their content policy forbids a request; compatible servers repeat it under other channel types. */
const PATTERNS: readonly RegExp[] = [
  // OpenAI, Azure OpenAI
  /content[_ ](filter|policy|management)|safety[_ ]system|moderation|ResponsibleAI/i,
  // xAI, DeepSeek, Qwen, Zhipu, Baidu
  /safety[_ ]check|content exists risk|data_?inspection_?failed|unsafe or sensitive|敏感/i,
];

/** Whether a service's content policy rejected a request, so that another model may accept it. */
export function isContentRefusal(channelType: number, status: number, error: SignedError): boolean {
  const signs = factsOf(channelType)?.errors?.refusal ?? [];
  const text = `${error.code} ${error.message}`;
  return signs.some((sign) => fits(sign, status, error, () => true)) || PATTERNS.some((pattern) => pattern.test(text));
}
