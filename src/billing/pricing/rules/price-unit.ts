import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { Price } from "../../types.ts";

/** What a model is billed for: a minute of sound counts as 1,000 tokens, characters count as tokens. */
export type PriceUnit = "token" | "character" | "minute" | "image" | "second" | "call";

/** What the price of a model is for, as calls are charged. `onlyFilms`: its channel makes nothing but videos. */
export function priceUnitOf(
  { billed_by: unit, output_modalities }: ModelInfo,
  { kind }: Pick<Price, "kind">,
  onlyFilms: boolean,
): PriceUnit {
  if (kind === "per_token") return unit === null || unit === "second" ? "token" : unit;
  if (onlyFilms || unit === "second") return "second";
  return unit === "image" || output_modalities?.includes("image") ? "image" : "call";
}
