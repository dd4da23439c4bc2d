import type { PricedNames } from "../../../src/channels/priced-names.ts";

/** Which of a channel's models nobody can call yet for want of a price: neither their name nor what it maps to has one. */
export function unpricedModels(models: readonly string[], mapping: string, priced: PricedNames | undefined): string[] {
  if (!priced?.refuses_others) return [];
  const names = new Set(priced.names);
  const upstream = mappingOf(mapping);
  return models.filter((model) => !names.has(model) && !names.has(String(upstream[model] ?? "")));
}

/** Client's name → upstream's; empty while what is typed is no JSON object. */
function mappingOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
