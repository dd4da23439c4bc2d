import type { ModelInfo } from "../../../catalog/catalog.ts";
import { isEffort, nearestEffort } from "../../../catalog/nearest-effort.ts";

/** The effort closest to the requested one that the model supports; unchanged for a model whose efforts are unknown. */
export function effortFor({ reasoning }: ModelInfo, requested: unknown): unknown {
  if (!isEffort(requested) || reasoning?.style !== "effort" || !reasoning.efforts) return requested;
  return nearestEffort(reasoning.efforts, requested);
}

/** OpenAI's models that do not reason: they reject any effort. */
export const neverReasons = ({ provider, reasoning }: ModelInfo): boolean =>
  provider === "OpenAI" && reasoning?.style === "none";
