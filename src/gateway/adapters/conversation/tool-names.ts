import { splitName } from "../../../formats/tools/tool-names.ts";
import type { StepFilter } from "../views/step-filter.ts";

/** Restores the tool names that the client uses. `aliases` maps them to the names that the upstream received. */
export function clientNames(aliases: ReadonlyMap<string, string>): () => StepFilter {
  const names = new Map([...aliases].map(([name, alias]) => [alias, splitName(name)]));
  return () => (step) => {
    const name = step.type === "tool-start" ? names.get(step.name) : undefined;
    return [name === undefined || step.type !== "tool-start" ? step : { ...step, ...name }];
  };
}
