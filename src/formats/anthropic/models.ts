import type { ModelInfo } from "../../catalog/catalog.ts";

/** Accepts adaptive thinking only, and rejects budgets and sampling settings. */
export const onlyAdaptive = ({ reasoning }: ModelInfo): boolean => reasoning?.style === "adaptive";

/** Accepts adaptive thinking. */
export const supportsAdaptive = ({ reasoning }: ModelInfo): boolean =>
  reasoning?.style === "adaptive" || reasoning?.style === "adaptive_or_budget";

/** Accepts thinking with a budget of tokens. */
export const supportsBudget = ({ reasoning }: ModelInfo): boolean =>
  reasoning?.style === "budget" || reasoning?.style === "adaptive_or_budget";

/** Supports structured output by a JSON Schema. */
export const supportsSchema = ({ structured_output }: ModelInfo): boolean => structured_output === true;
