import type { SourceRow } from "../source.ts";
import { integerIn, textOf } from "../values.ts";
import { RESELLERS, type Translated } from "./one-api-channels.ts";

const OPENAI = 1;
/** Services that have a number of this gateway's own: Perplexity, Kling, Jimeng, Vidu. */
const RENUMBERED: Readonly<Record<number, number>> = { 27: 1003, 50: 1010, 51: 1018, 52: 1011 };

/** Reads a channel of new-api or Veloera, whose numbers are mostly those used here. */
export function translateKin(row: SourceRow): Translated {
  const type = integerIn(row, "type", OPENAI);
  const baseUrl = textOf(row, "base_url");
  const own = { key: textOf(row, "key"), baseUrl, other: textOf(row, "other") };
  const reseller = RESELLERS[type];
  if (reseller) return { ...own, type: OPENAI, baseUrl: baseUrl || reseller };
  return { ...own, type: RENUMBERED[type] ?? type };
}
