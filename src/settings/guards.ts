import { OperationError } from "../lib/operation-error.ts";
import { findOption, type OptionKey } from "./registry/index.ts";

/**
 * What must hold between options before `key` becomes `value`: a switch needs what it works with, the usage modes exclude
 * each other, and the highest reward of a check-in is not below the usual one. `textOf` returns the present text of an option. Throws OperationError.
 */
export function guardChange(key: OptionKey, value: unknown, textOf: (key: OptionKey) => string): void {
  if (key === "CheckInMaxQuota" && typeof value === "number" && value > 0) {
    const least = Number(textOf("CheckInQuota"));
    if (value < least) throw new OperationError("option_below_other", { key, other: "CheckInQuota", least });
  }
  if (value !== true) return;
  for (const needed of findOption(key)?.traits.needs ?? []) {
    if (textOf(needed as OptionKey) === "") throw new OperationError("option_needs", { key, needed });
  }
  const otherMode = { SelfUseModeEnabled: "DemoSiteEnabled", DemoSiteEnabled: "SelfUseModeEnabled" } as const;
  if ((key === "SelfUseModeEnabled" || key === "DemoSiteEnabled") && textOf(otherMode[key]) === "true") {
    throw new OperationError("option_modes_exclusive");
  }
}
