import type { SourceFacts } from "./column-facts.ts";
import type { Family } from "./detect-family.ts";
import { HUB_FACTS } from "./facts-hub.ts";
import { KIN_FACTS } from "./facts-kin.ts";
import { LITELLM_FACTS } from "./facts-litellm.ts";

/** The tables of a gateway's releases up to the newest that was read, with what becomes of each. */
export function factsOf(family: Family): SourceFacts {
  if (family === "LiteLLM") return LITELLM_FACTS;
  return family === "one-hub" || family === "done-hub" ? HUB_FACTS : KIN_FACTS[family];
}
