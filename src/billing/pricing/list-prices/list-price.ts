/**
 * List price of a model per million tokens: input, output, cached input. Without an output price the model answers
 * nothing that is billed (embeddings, speech); without a cached price, cached input costs what input costs.
 */
export type ListPrice = readonly [input: number, output?: number, cachedInput?: number];

/** Model name → list price, all in the currency that the list's file says. */
export type PriceList = Readonly<Record<string, ListPrice>>;
