import { type PricedModel, tokenPrice, unitPrice } from "../../../api/models/pricing.ts";
import type { WireMessage } from "./chat-body.ts";

/** Latin text has about four characters a token; Chinese, Japanese and Korean about one. */
const CHARACTERS_PER_TOKEN = 4;
const ONE_TOKEN_EACH = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
/** What providers add for the role and the ends of a message. */
const TOKENS_PER_MESSAGE = 4;
/** Providers count 765 to 1,600 tokens for an image of 1024 × 1024, and about as many for a page or half a minute of sound. */
const TOKENS_PER_FILE = 1000;
const TOKENS_PER_PRICE = 1_000_000;

/** About how many tokens the model reads. */
export function estimateInputTokens(messages: readonly WireMessage[]): number {
  return messages.reduce((sum, { content }) => {
    const parts = Array.isArray(content) ? content : [{ type: "text" as const, text: content ?? "" }];
    const tokens = parts.map((part) => (part.type === "text" ? tokensOf(part.text) : TOKENS_PER_FILE));
    return tokens.reduce((all, count) => all + count, sum + TOKENS_PER_MESSAGE);
  }, 0);
}

function tokensOf(text: string): number {
  const dense = text.match(ONE_TOKEN_EACH)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / CHARACTERS_PER_TOKEN);
}

/** Amounts in quota units, rounded up. */
export type CostEstimate = Readonly<
  | { kind: "call"; quota: number }
  | {
      kind: "tokens";
      inputTokens: number;
      input: number;
      /** The most that it can write, and what it costs then in all; null: the model has no known limit. */
      most: Readonly<{ outputTokens: number; quota: number }> | null;
      /** What 1,000 output tokens cost. */
      perThousand: number;
    }
>;

/**
 * What a request costs before it is sent: its input, and with the output at its limit. `maxTokens`: the requested limit, 0 for
 * the model's own. Null: the model has no price, or none by text.
 */
export function estimateCost(
  model: PricedModel,
  messages: readonly WireMessage[],
  maxTokens: number,
  groupRatio: number,
  quotaPerUnit: number,
): CostEstimate | null {
  if (!model.is_priced) return null;
  const quotaOf = (usd: number) => Math.ceil(usd * quotaPerUnit - 1e-9);
  if (model.unit === "call") return { kind: "call", quota: quotaOf(unitPrice(model, groupRatio, quotaPerUnit)) };
  if (model.unit !== "token") return null;
  const price = tokenPrice(model, groupRatio, quotaPerUnit);
  const inputTokens = estimateInputTokens(messages);
  const tier = model.context_tiers.findLast(({ over }) => inputTokens > over);
  const hours = model.price_hours.find(({ is_active }) => is_active);
  const input = (inputTokens * price.input * (tier?.input ?? 1) * (hours?.input ?? 1)) / TOKENS_PER_PRICE;
  const perToken = (price.output * (tier?.output ?? 1) * (hours?.output ?? 1)) / TOKENS_PER_PRICE;
  const limits = [maxTokens, model.output_limit ?? 0].filter((limit) => limit > 0);
  const outputTokens = limits.length === 0 ? null : Math.min(...limits);
  return {
    ...{ kind: "tokens", inputTokens, input: quotaOf(input), perThousand: quotaOf(perToken * 1000) },
    most: outputTokens === null ? null : { outputTokens, quota: quotaOf(input + outputTokens * perToken) },
  };
}
