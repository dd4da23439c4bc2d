import type { NumberMap, PriceKey, PriceMaps } from "./price-maps.ts";

export const BATCH_MODES = ["price", "ratio", "completionRatio", "both"] as const;
export type BatchMode = (typeof BATCH_MODES)[number];

export type BatchFill = Readonly<{ mode: BatchMode; value: string; completion: string }>;
/** A word under `settings.pricing.batch.faults`. */
export type BatchFault = "selection" | "both" | "value" | "number";

const isNumber = (text: string): boolean => Number.isFinite(Number(text)) && Number(text) >= 0;

/** Why the fill cannot be applied to so many models; null when it can. */
export function batchFault({ mode, value, completion }: BatchFill, selected: number): BatchFault | null {
  if (selected === 0) return "selection";
  const isEmpty = value.trim() === "";
  if (mode === "both") {
    if (isEmpty || completion.trim() === "") return "both";
    return isNumber(value) && isNumber(completion) ? null : "number";
  }
  if (isEmpty) return "value";
  return isNumber(value) && !(mode === "price" && Number(value) === 0) ? null : "number";
}

/** The maps with the models filled in; only those that change. */
export function batchFilled(
  maps: PriceMaps,
  models: readonly string[],
  { mode, value, completion }: BatchFill,
): Partial<Record<PriceKey, NumberMap>> {
  const filled = (key: PriceKey, text: string) => ({
    [key]: { ...maps[key], ...Object.fromEntries(models.map((model) => [model, Number(text)])) },
  });
  switch (mode) {
    case "price":
      return filled("ModelPrice", value);
    case "ratio":
      return filled("ModelRatio", value);
    case "completionRatio":
      return filled("CompletionRatio", value);
    case "both":
      return { ...filled("ModelRatio", value), ...filled("CompletionRatio", completion) };
  }
}
