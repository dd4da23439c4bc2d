import file from "./list-prices.json" with { type: "json" };

/** Prices of a million tokens (or characters): input, output, cached input; in the section's currency. */
type TokenPrice = readonly number[];

type ByModel<T> = Readonly<Record<string, T>>;

/** What one provider lists, as it was read on a day. Without an output price a model answers nothing that is billed. */
export type PriceSection = Readonly<{
  provider: string;
  /** The day, or the month, that the prices are of: `2026-08-02`, `2025-12`. */
  asOf: string;
  /** Pages that tell them. */
  sources: readonly string[];
  currency: "USD" | "CNY";
  note?: string;
  perMillion?: ByModel<TokenPrice>;
  /** Steps for long prompts: over so many tokens, input and output cost so much. */
  long?: ByModel<readonly (readonly number[])[]>;
  /** Sound: input, and output where it does not cost twice that. */
  audio?: ByModel<readonly number[]>;
  /** Pictures: in the prompt (null: as text) and answered. */
  pictures?: ByModel<readonly (number | null)[]>;
  /** A million tokens written to the cache, where that is not 1.25 times input. */
  cacheWrite?: ByModel<number>;
  /** A call, a picture, a search. */
  perCall?: ByModel<number>;
  /** A second of video. */
  perSecond?: ByModel<number>;
  /** Conditions on an order, as the option VideoPrice has them → a second of it. */
  variants?: ByModel<ByModel<number>>;
  /** A use of a tool that the provider runs itself. */
  toolUse?: ByModel<number>;
  /** Models whose price no list says. */
  assumed?: readonly string[];
}>;

/** The list prices that come with this release; no model is in two sections. */
export const PRICE_SECTIONS: readonly PriceSection[] = file.sections as unknown as readonly PriceSection[];

/** All of one kind of price, over all sections. */
export const listed = <K extends "perCall" | "perSecond" | "variants">(kind: K): NonNullable<PriceSection[K]> =>
  Object.assign({}, ...PRICE_SECTIONS.map((section) => section[kind]));

/** The names of all models that a section has a price for. */
export const modelsOf = ({ perMillion, perCall, perSecond }: PriceSection): string[] =>
  Object.keys({ ...perMillion, ...perCall, ...perSecond });
