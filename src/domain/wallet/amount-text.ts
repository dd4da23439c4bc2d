import { divide, integer, toText } from "../../lib/values/decimal.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** Dollars that quota units are shown in, as precise as a unit is worth. */
const PLACES = 6;

/** Quota units as messages name them: dollars, or units where the site shows those. */
export const amountText = (settings: SettingsReader, quotaUnits: number): string =>
  settings.get("DisplayInCurrencyEnabled")
    ? `$${toText(divide(integer(quotaUnits), integer(settings.get("QuotaPerUnit")), PLACES))}`
    : String(quotaUnits);
