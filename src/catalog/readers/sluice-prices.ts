import { type CatalogDocument, type CatalogEntry, type CatalogPrice, isDay, isPrice } from "../entry.ts";
import {
  definedOf,
  documentOf,
  type Json,
  modalitiesAt,
  money,
  recordAt,
  recordsAt,
  textAt,
  tokenPrice,
  tokensAt,
} from "./source-entry.ts";

/** Dollars of a million input tokens at the ratio 1. */
const USD_PER_RATIO = 2;

/**
 * Reads what `GET /api/pricing` of another Sluice answers, and of gateways of the one-api family that publish ratios so:
 * prices before the factor of any group, with long prompts, service tiers, hours, retirement and limits. `page`: its address.
 * Throws FieldError.
 */
export function readSluicePrices(value: unknown, page: string): CatalogDocument {
  const { data } = recordAt(value) ?? {};
  const found = recordsAt(data).flatMap((model) => {
    const name = textAt(model.model_name);
    return name && typeof model.quota_type === "number" ? [[name, entryOf(model)] as const] : [];
  });
  return documentOf("Sluice", page, found);
}

function entryOf(model: Json): CatalogEntry {
  return {
    context_window: tokensAt(model.context_window),
    output_limit: tokensAt(model.output_limit),
    input_modalities: modalitiesAt(model.input_modalities),
    output_modalities: modalitiesAt(model.output_modalities),
    ...(isDay(model.deprecation_date) && { deprecation_date: model.deprecation_date, deprecation_source: "Sluice" }),
    price: model.is_priced === false ? undefined : model.quota_type === 1 ? priceOfCall(model) : priceOfTokens(model),
    source: "Sluice",
  };
}

function priceOfCall({ model_price: usd, unit, megapixel_price: megapixel, variants }: Json): CatalogEntry["price"] {
  if (!isPrice(usd) || usd === 0) return undefined;
  const known = Object.entries(recordAt(variants) ?? {}).flatMap(([conditions, amount]) =>
    isPrice(amount) ? [[conditions, amount] as const] : [],
  );
  const others = { ...(known.length > 0 && { variants: Object.fromEntries(known) }), source: "Sluice" };
  if (unit === "second") return { per_second: usd, ...others };
  return { per_call: usd, ...(isPrice(megapixel) && megapixel > 0 && { per_megapixel: megapixel }), ...others };
}

function priceOfTokens(model: Json): CatalogEntry["price"] {
  const ratio = ratioAt(model.model_ratio);
  if (ratio === undefined) return undefined;
  const input = ratio * USD_PER_RATIO;
  const output = input * (ratioAt(model.completion_ratio) ?? 1);
  const times = (amount: number, factor: unknown): number | undefined => {
    const known = ratioAt(factor);
    return known === undefined ? undefined : money(amount * known);
  };
  const cached = times(input, model.cache_ratio);
  const audio = times(input, model.audio_ratio);
  const image = times(input, model.image_ratio);
  const factored = (factors: Json) =>
    definedOf({
      input: times(input, factors.input),
      output: times(output, factors.output),
      cache_read: cached === undefined ? undefined : times(cached, factors.cache_read),
    });
  return tokenPrice({
    input: money(input),
    output: money(output),
    cache_read: cached,
    cache_write: times(input, model.cache_creation_ratio),
    audio_input: audio,
    audio_output: audio === undefined ? undefined : times(audio, model.audio_completion_ratio),
    image_input: image,
    image_output: image === undefined ? undefined : times(image, model.image_completion_ratio),
    tiers: tiersOf(model.context_tiers, factored),
    service_tiers: serviceTiersOf(model.service_tiers, factored),
    hours: hoursOf(model.price_hours, factored),
    source: "Sluice",
  });
}

type Factored = (factors: Json) => Pick<CatalogPrice, "input" | "output" | "cache_read">;

function tiersOf(value: unknown, factored: Factored): CatalogPrice["tiers"] {
  const tiers = recordsAt(value).flatMap((tier) => {
    const over = tokensAt(tier.over);
    const { input, output } = factored(tier);
    return over !== undefined && input !== undefined && output !== undefined ? [{ over, input, output }] : [];
  });
  return tiers.length > 0 ? tiers.toSorted((a, b) => a.over - b.over) : undefined;
}

function serviceTiersOf(value: unknown, factored: Factored): CatalogPrice["service_tiers"] {
  const tiers = Object.entries(recordAt(value) ?? {}).flatMap(([name, tier]) => {
    const factors = recordAt(tier);
    return factors ? [[name, factored(factors)] as const] : [];
  });
  return tiers.length > 0 ? Object.fromEntries(tiers) : undefined;
}

function hoursOf(value: unknown, factored: Factored): CatalogPrice["hours"] {
  const hours = recordsAt(value).flatMap((rule) => {
    const [from, until, zone] = [textAt(rule.from), textAt(rule.until), textAt(rule.zone)];
    if (!from || !until || !zone) return [];
    const days = DAYS.filter((day) => Array.isArray(rule.days) && rule.days.includes(day));
    return [{ ...factored(rule), ...(days.length > 0 && { days }), from, until, zone }];
  });
  return hours.length > 0 ? hours : undefined;
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const ratioAt = (value: unknown): number | undefined => (isPrice(value) ? value : undefined);
