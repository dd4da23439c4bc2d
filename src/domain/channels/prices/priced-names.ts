import type { SettingsReader } from "../../../settings/settings.ts";

/** Which models have a price now, and whether calls of others are refused: not where the site is for its owner alone. */
export type PricedNames = Readonly<{ names: readonly string[]; refuses_others: boolean }>;

/** The models that have a price, sorted, and whether others are refused. */
export function pricedNames(settings: SettingsReader): PricedNames {
  const names = new Set([...settings.get("ModelRatio").keys(), ...settings.get("ModelPrice").keys()]);
  return { names: [...names].sort(), refuses_others: !settings.get("SelfUseModeEnabled") };
}
