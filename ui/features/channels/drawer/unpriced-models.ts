import type { PricedNames } from "../../../../src/domain/channels/prices/priced-names.ts";
import { pricedName } from "../../models/pricing/pricing.ts";

type Names = Readonly<{ models: readonly string[]; modelPrefix: string; modelMapping: string }>;

/**
 * Which of a channel's models nobody can call yet for want of a price, as calls ask for them: neither that name, prefix
 * included, nor the one by which the upstream knows the model has one.
 */
export function unpricedModels(
  { models, modelPrefix, modelMapping }: Names,
  priced: PricedNames | undefined,
): string[] {
  if (!priced?.refuses_others) return [];
  const names = new Set(priced.names);
  const mapping = readMapping(modelMapping);
  return models
    .map((bare) => ({ requested: modelPrefix.trim() + bare, bare }))
    .filter(({ requested, bare }) =>
      [requested, upstreamName(mapping, requested, bare)].every((name) => !names.has(pricedName(name))),
    )
    .map(({ requested }) => requested);
}

/** As calls follow a mapping: from the requested name, else from the bare one, along a chain that never comes back. */
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

/** Client's name → upstream's; empty while what is typed is no JSON object. */
function readMapping(text: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return new Map(entries.flatMap(([from, to]) => (typeof to === "string" ? [[from, to]] : [])));
  } catch {
    return new Map();
  }
}
