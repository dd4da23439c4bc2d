/** What Anthropic's models can, by their names, whatever a cloud writes before or behind them (providers.md 2.3.1). */

/** These think adaptively and refuse budgets and sampling settings. */
export const onlyAdaptive = (model: string): boolean =>
  /claude-(opus-(4-[7-9]|[5-9])|sonnet-[5-9]|fable-[5-9]|haiku-[5-9])/.test(model);

/** These can think adaptively, and refuse to go on with an answer that the client began. */
export const knowsAdaptive = (model: string): boolean =>
  onlyAdaptive(model) || /claude-(opus|sonnet|haiku)-4-[6-9]/.test(model);

/** These think, with a budget. */
export const thinks = (model: string): boolean => /claude-(3-7|3\.7|(opus|sonnet|haiku)-4|4)/.test(model);

/** These keep to a JSON Schema. */
export const keepsToSchema = (model: string): boolean =>
  knowsAdaptive(model) || /claude-(opus|sonnet|haiku)-4-[5-9]/.test(model);
