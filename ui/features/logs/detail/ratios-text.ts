import type { TFunction } from "i18next";
import type { LogOther } from "../../../../src/billing/types.ts";

const RATIOS = [
  "model_ratio",
  "completion_ratio",
  "cache_ratio",
  "cache_creation_ratio",
  "audio_ratio",
  "audio_completion_ratio",
  "group_ratio",
  "user_group_ratio",
] as const;

/** What a call was priced by, for rows that have no receipt since another gateway wrote them. */
export function ratiosText(other: Partial<LogOther>, t: TFunction): string {
  const { model_price: price = -1 } = other;
  const isFixed = price >= 0;
  const named = isFixed ? (["group_ratio", "user_group_ratio"] as const) : RATIOS;
  // −1 is what that gateway writes for a ratio that does not apply.
  const ratios = named.flatMap((name) => {
    const value = other[name];
    return value === undefined || value < 0 ? [] : [t(`logs.detail.ratioOf.${name}`, { value })];
  });
  return [...(isFixed ? [t("logs.detail.ratioOf.model_price", { value: price })] : []), ...ratios].join(" · ");
}
