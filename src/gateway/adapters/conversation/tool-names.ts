import { splitName } from "../../../formats/tools/tool-names.ts";
import type { StepFilter } from "../views/step-filter.ts";

/** Gives tools the names back under which the client knows them. `aliases`: name → the one that the upstream was told. */
export function clientNames(aliases: ReadonlyMap<string, string>): () => StepFilter {
  const names = new Map([...aliases].map(([name, alias]) => [alias, splitName(name)]));
  return () => (step) => {
    const name = step.type === "tool-start" ? names.get(step.name) : undefined;
    return [name === undefined || step.type !== "tool-start" ? step : { ...step, ...name }];
  };
}
