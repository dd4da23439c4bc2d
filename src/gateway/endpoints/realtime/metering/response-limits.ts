import type { Price } from "../../../../billing/types.ts";
import { countOf, type JsonObject, recordOf, textsOf } from "../../../../formats/json.ts";
import { ONE } from "../../../../lib/values/decimal.ts";
import type { CallPrices } from "../../../money/price.ts";

/** What is known of the next response of a session before it begins. */
export type ResponseLimits = Readonly<{
  /** Null: the session sets none. */
  maxOutputTokens: number | null;
  /** It has no audio. */
  isTextOnly: boolean;
}>;

export const NO_LIMITS: ResponseLimits = { maxOutputTokens: null, isTextOnly: false };

/** The limits that an object of OpenAI's Realtime API (a session, or a response that is asked for) sets, over others. */
export function limitsIn(value: unknown, others: ResponseLimits): ResponseLimits {
  const object: JsonObject = recordOf(value) ?? {};
  const tokens = object.max_output_tokens ?? object.max_response_output_tokens;
  const modalities = object.output_modalities ?? object.modalities;
  return {
    // "inf" takes a limit away.
    maxOutputTokens: tokens === undefined ? others.maxOutputTokens : countOf(tokens),
    isTextOnly: Array.isArray(modalities) ? !textsOf(modalities).includes("audio") : others.isTextOnly,
  };
}

/** The prices of a response without audio, to estimate it. */
export function withoutAudio({ price, byName, byChannel }: CallPrices): CallPrices {
  const silent = (other: Price): Price =>
    other.kind === "per_token" ? { ...other, audioRatio: ONE, audioCompletionRatio: ONE } : other;
  const each = <Key>(prices: ReadonlyMap<Key, Price>) =>
    new Map([...prices].map(([key, other]): [Key, Price] => [key, silent(other)]));
  return {
    price: silent(price),
    byName: byName && each(byName),
    byChannel: byChannel && each(byChannel),
  };
}
