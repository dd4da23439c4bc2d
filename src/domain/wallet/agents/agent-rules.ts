import { decimal, integer, isNegative, isZero, subtract, toText } from "../../../lib/values/decimal.ts";

/** An agent's share in percent as decimal text: above 0, at most 100, with up to two places. Null: it is none. */
export function agentRate(text: string): string | null {
  try {
    const rate = decimal(text);
    const fits = !isNegative(rate) && !isZero(rate) && !isNegative(subtract(integer(100), rate));
    const written = toText(rate);
    return fits && (written.split(".")[1] ?? "").length <= 2 ? written : null;
  } catch {
    return null;
  }
}
