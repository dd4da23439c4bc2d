import type { PricedNames } from "../../../../src/domain/channels/prices/priced-names.ts";
import { pricedName } from "../../../api/models/pricing.ts";
import { isNamePattern } from "../../../lib/name-pattern.ts";

type Names = Readonly<{ models: readonly string[]; modelPrefix: string; modelMapping: string }>;

/**
 * The channel's models that can't be called yet because neither the requested name (with prefix) nor the upstream's
 * name has a price. Patterns are none: each name that they match has its own price.
 */
export function unpricedModels(
  { models, modelPrefix, modelMapping }: Names,
  priced: PricedNames | undefined,
): string[] {
  if (!priced?.refuses_others) return [];
  const names = new Set(priced.names);
  const mapping = readMapping(modelMapping);
  const isMapped = (name: string) => mapping.has(name) || mapping.has(modelPrefix.trim() + name);
  // What the patterns of a mapping make of a name only the gateway knows.
  const hasPatterns = [...mapping.keys()].some(isNamePattern);
  return models
    .filter((name) => !isNamePattern(name) && (!hasPatterns || isMapped(name)))
    .map((bare) => ({ requested: modelPrefix.trim() + bare, bare }))
    .filter(({ requested, bare }) =>
      [requested, upstreamName(mapping, requested, bare)].every((name) => !names.has(pricedName(name))),
    )
    .map(({ requested }) => requested);
}

/**
 * Resolves a mapping as calls do: from the requested name, else from the name without prefix, along the chain, without
 * loops.
 */
function upstreamName(mapping: ReadonlyMap<string, string>, requested: string, bare: string): string {
  const seen = new Set([requested, bare]);
  let name = bare;
  let next = mapping.get(requested) ?? mapping.get(bare);
  while (next && !seen.has(next)) {
    seen.add(next);
    name = next;
    next = mapping.get(name);
  }
  return name;
}

/** Client's model name → upstream's; empty while the text is not a JSON object. */
function readMapping(text: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return new Map(entries.flatMap(([from, to]) => (typeof to === "string" ? [[from, to]] : [])));
  } catch {
    return new Map();
  }
}
