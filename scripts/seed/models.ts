import { DEFAULT_MODEL_RATIO } from "../../src/billing/pricing/ratios/default-ratios.ts";

/** Models that the made-up channels serve: as many as a busy site has. */
export const MODELS: readonly string[] = Object.keys(DEFAULT_MODEL_RATIO).slice(0, 60);
