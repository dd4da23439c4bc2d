import { roundTo } from "../../../lib/format/number.ts";
import { completionRatioOf, type PriceRow, priceOfRatio, ratioOfPrice } from "./price-maps.ts";

/** A model's price while being edited. */
export type PriceForm = Readonly<{
  name: string;
  billing: "per_token" | "per_call";
  /** Whether ratios or dollars per million tokens are typed. */
  entry: "ratio" | "price";
  price: string;
  megapixelPrice: string;
  ratio: string;
  completionRatio: string;
  cacheRatio: string;
  inputPrice: string;
  outputPrice: string;
}>;

export type PriceField =
  | "name"
  | "price"
  | "megapixelPrice"
  | "ratio"
  | "completionRatio"
  | "cacheRatio"
  | "inputPrice"
  | "outputPrice";
/** A key under `settings.pricing.errors` in the locales. */
type PriceFault = "required" | "number" | "zero" | "duplicate";

const textOf = (value: number | null): string => (value === null ? "" : String(value));

export function priceFormOf(row: PriceRow): PriceForm {
  const { ratio, completionRatio } = row;
  const input = ratio === null ? null : priceOfRatio(ratio);
  return {
    name: row.name,
    billing: row.price === null ? "per_token" : "per_call",
    entry: "price",
    price: textOf(row.price),
    megapixelPrice: textOf(row.megapixelPrice),
    ratio: textOf(ratio),
    completionRatio: textOf(completionRatio),
    cacheRatio: textOf(row.cacheRatio),
    inputPrice: textOf(input),
    outputPrice: textOf(input === null || completionRatio === null ? null : roundTo(input * completionRatio, 6)),
  };
}

export const NEW_PRICE: PriceRow = {
  name: "",
  price: null,
  megapixelPrice: null,
  ratio: null,
  completionRatio: null,
  cacheRatio: null,
};

/** Updates one field; ratios and dollars follow each other. */
export function typed(form: PriceForm, field: PriceField, text: string): PriceForm {
  const next = { ...form, [field]: text };
  if (field === "inputPrice" || field === "outputPrice") {
    const input = readPrice(next.inputPrice);
    const output = readPrice(next.outputPrice);
    return {
      ...next,
      ratio: input === null ? next.ratio : String(ratioOfPrice(input)),
      completionRatio:
        next.outputPrice.trim() === ""
          ? ""
          : input === null || output === null
            ? next.completionRatio
            : String(completionRatioOf(input, output)),
    };
  }
  if (field === "ratio" || field === "completionRatio") {
    const ratio = readPrice(next.ratio);
    const completion = readPrice(next.completionRatio);
    const input = ratio === null ? null : priceOfRatio(ratio);
    return {
      ...next,
      inputPrice: input === null ? next.inputPrice : String(input),
      outputPrice: input === null || completion === null ? "" : String(roundTo(input * completion, 6)),
    };
  }
  return next;
}

/** A price or ratio as typed; null: it is none. */
export const readPrice = (text: string): number | null =>
  text.trim() !== "" && Number.isFinite(Number(text)) && Number(text) >= 0 ? Number(text) : null;

/** Validation errors by field. `taken` returns whether another model has the name. */
export function checkPriceForm(
  form: PriceForm,
  taken: (name: string) => boolean,
): Partial<Record<PriceField, PriceFault>> {
  const faults: Partial<Record<PriceField, PriceFault>> = {};
  if (form.name.trim() === "") faults.name = "required";
  else if (taken(form.name.trim())) faults.name = "duplicate";
  const check = (field: Exclude<PriceField, "name">, isRequired: boolean) => {
    const text = form[field].trim();
    if (text === "" ? isRequired : readPrice(text) === null) faults[field] = "number";
  };
  if (form.billing === "per_call") {
    check("price", true);
    check("megapixelPrice", false);
    if (readPrice(form.price) === 0) faults.price = "zero";
    return faults;
  }
  const isPrice = form.entry === "price";
  check(isPrice ? "inputPrice" : "ratio", true);
  check(isPrice ? "outputPrice" : "completionRatio", false);
  check("cacheRatio", false);
  return faults;
}

/** Converts a valid form to a row. */
export const rowOfForm = (form: PriceForm): PriceRow => {
  const name = form.name.trim();
  if (form.billing === "per_call")
    return { ...NEW_PRICE, name, price: readPrice(form.price), megapixelPrice: readPrice(form.megapixelPrice) };
  return {
    ...NEW_PRICE,
    name,
    ratio: readPrice(form.ratio),
    completionRatio: readPrice(form.completionRatio),
    cacheRatio: readPrice(form.cacheRatio),
  };
};
