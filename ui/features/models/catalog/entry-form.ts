import type { CatalogPrice } from "../../../../src/catalog/entry.ts";
import {
  EFFORTS,
  isDay,
  isModelName,
  isPrice,
  isTokenCount,
  type MODALITIES,
  type REASONING_STYLES,
} from "../../../../src/catalog/entry.ts";
import type { CatalogModel, OwnEntry } from "./catalog-calls.ts";

type Modality = (typeof MODALITIES)[number];
type Effort = (typeof EFFORTS)[number];
type Style = (typeof REASONING_STYLES)[number];

/** Empty text and "inherit" leave a fact to more general entries. */
export type EntryForm = Readonly<{
  model: string;
  provider: string;
  description: string;
  context: string;
  output: string;
  inputs: readonly Modality[];
  outputs: readonly Modality[];
  tools: "inherit" | "yes" | "no";
  schema: "inherit" | "yes" | "no";
  style: "inherit" | Style;
  efforts: readonly Effort[];
  minBudget: string;
  maxBudget: string;
  deprecation: string;
  successor: string;
  source: string;
  price: "keep" | "list" | "tokens" | "call";
  priceInput: string;
  priceOutput: string;
  priceCached: string;
  priceCall: string;
}>;

const switchOf = (value: boolean | null | undefined) => (value == null ? "inherit" : value ? "yes" : "no");
const textOf = (value: number | string | null | undefined) => (value == null ? "" : String(value));

/** Initial form values of an override; null: a new one. */
export function entryForm(entry: CatalogModel | null): EntryForm {
  const own = entry?.own ?? {};
  const { input, output, cache_read, per_call } = entry?.price ?? {};
  return {
    model: entry?.model ?? "",
    provider: textOf(own.provider),
    description: textOf(own.description),
    context: textOf(own.context_window),
    output: textOf(own.output_limit),
    inputs: own.input_modalities ?? [],
    outputs: own.output_modalities ?? [],
    tools: switchOf(own.tools),
    schema: switchOf(own.structured_output),
    style: own.reasoning?.style ?? "inherit",
    efforts: own.reasoning?.efforts ?? [],
    minBudget: textOf(own.reasoning?.min_budget),
    maxBudget: textOf(own.reasoning?.max_budget),
    deprecation: textOf(own.deprecation_date),
    successor: textOf(own.successor),
    source: textOf(own.source),
    price: "keep",
    priceInput: textOf(input),
    priceOutput: textOf(output),
    priceCached: textOf(cache_read),
    priceCall: textOf(per_call),
  };
}

/** What is wrong with the form, by field: under `catalog.form.errors` in the words. */
export function checkEntryForm(form: EntryForm) {
  const tokensError = (text: string): "integer" | undefined =>
    text.trim() === "" || isTokenCount(Number(text)) ? undefined : "integer";
  const amountError = (text: string): "price" | undefined =>
    text.trim() !== "" && isPrice(Number(text)) ? undefined : "price";
  const day = form.deprecation.trim();
  const successor = form.successor.trim();
  return {
    model: isModelName(form.model.trim()) ? undefined : ("name" as const),
    context: tokensError(form.context),
    output: tokensError(form.output),
    minBudget: tokensError(form.minBudget),
    maxBudget: tokensError(form.maxBudget),
    deprecation: day === "" || isDay(day) ? undefined : ("day" as const),
    successor: successor === "" || isModelName(successor) ? undefined : ("name" as const),
    ...(form.price === "call" && { priceCall: amountError(form.priceCall) }),
    ...(form.price === "tokens" && {
      priceInput: amountError(form.priceInput),
      priceOutput: form.priceOutput.trim() === "" ? undefined : amountError(form.priceOutput),
      priceCached: form.priceCached.trim() === "" ? undefined : amountError(form.priceCached),
    }),
  };
}

/** The form's values, merged over facts of the entry that have no field. */
export function entryOf(form: EntryForm, entry: CatalogModel | null): OwnEntry {
  const parseCount = (text: string) => (text.trim() === "" ? undefined : Number(text));
  const text = (value: string) => value.trim() || undefined;
  const flag = (value: "inherit" | "yes" | "no") => (value === "inherit" ? undefined : value === "yes");
  const chosen = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
  const reasoning = form.style === "inherit" ? undefined : reasoningOf(form, form.style, entry);
  const facts: OwnEntry = {
    ...entry?.own,
    provider: text(form.provider),
    description: text(form.description),
    context_window: parseCount(form.context),
    output_limit: parseCount(form.output),
    input_modalities: chosen(form.inputs),
    output_modalities: chosen(form.outputs),
    tools: flag(form.tools),
    structured_output: flag(form.schema),
    reasoning,
    deprecation_date: text(form.deprecation),
    successor: text(form.successor),
    deprecation_source: text(form.deprecation) && entry?.own?.deprecation_source,
    source: text(form.source),
    ...priceOf(form, entry),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function reasoningOf(form: EntryForm, style: Style, entry: CatalogModel | null): OwnEntry["reasoning"] {
  const takesEfforts = style === "effort" || style.startsWith("adaptive");
  const takesBudget = style.includes("budget");
  const canDisable = entry?.own?.reasoning?.can_disable;
  return {
    style,
    ...(takesEfforts &&
      form.efforts.length > 0 && { efforts: EFFORTS.filter((effort) => form.efforts.includes(effort)) }),
    ...(takesBudget && form.minBudget.trim() !== "" && { min_budget: Number(form.minBudget) }),
    ...(takesBudget && form.maxBudget.trim() !== "" && { max_budget: Number(form.maxBudget) }),
    ...(canDisable !== undefined && { can_disable: canDisable }),
  };
}

/** Parts of a token price without a field (audio, images, long prompts) stay unchanged. */
function priceOf(form: EntryForm, entry: CatalogModel | null): Pick<OwnEntry, "price"> {
  if (form.price === "keep") return {};
  if (form.price === "list") return { price: null };
  if (form.price === "call") {
    // Prices by megapixel, of variants, tiers and hours belong to the price of a call, and have no field.
    const { per_megapixel, variants, service_tiers, hours } = entry?.price?.per_call === undefined ? {} : entry.price;
    const present = {
      ...(per_megapixel !== undefined && { per_megapixel }),
      ...(variants && { variants }),
      ...(service_tiers && { service_tiers }),
      ...(hours && { hours }),
    };
    return { price: { per_call: Number(form.priceCall), ...present } };
  }
  const { source, service_tiers_source, hours_source, currency, ...shipped } = entry?.price ?? {};
  const { per_call, per_megapixel, per_second, variants, ...present } = shipped;
  const price: CatalogPrice = {
    ...present,
    input: Number(form.priceInput),
    output: form.priceOutput.trim() === "" ? undefined : Number(form.priceOutput),
    cache_read: form.priceCached.trim() === "" ? undefined : Number(form.priceCached),
  };
  return { price: Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined)) };
}
