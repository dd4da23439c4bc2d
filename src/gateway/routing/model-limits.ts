import type { Catalog } from "../../catalog/catalog.ts";
import type { ContextOverflow } from "../../formats/helpers/context-overflow.ts";
import type { ReadError } from "../../formats/openai-chat/errors.ts";
import { typicalTokens } from "../billing/reserve.ts";

/** How providers say that their content policy forbids a request. */
const CONTENT_REFUSED = [
  // OpenAI, Azure OpenAI
  /content[_ ](filter|policy|management)|safety[_ ]system|moderation|ResponsibleAI/i,
  // xAI, DeepSeek, Qwen, Zhipu, Baidu
  /safety[_ ]check|content exists risk|data_?inspection_?failed|unsafe or sensitive|敏感/i,
];

/** Whether an upstream's content policy rejected a request, so that another model may accept it. */
export const isContentRefusal = ({ code, message }: Pick<ReadError, "code" | "message">): boolean => {
  const text = `${code} ${message}`;
  return CONTENT_REFUSED.some((pattern) => pattern.test(text));
};

/** What was sent, as far as it tells how much of it was too much: the model, and the bound of its prompt's tokens. */
export type SentPrompt = Readonly<{ model: string; promptBound: number }>;

/**
 * The overflow with the numbers that the provider did not say: the window of the catalog, and the estimated prompt, which
 * must be more than the window.
 */
export function completeOverflow(
  { input, output, limit }: ContextOverflow,
  catalog: Catalog,
  { model, promptBound }: SentPrompt,
): ContextOverflow {
  const most = limit ?? catalog.find(model).context_window;
  const estimated = most === null ? null : Math.max(Math.round(typicalTokens(promptBound)), most + 1);
  return { input: input ?? estimated, output, limit: most };
}
