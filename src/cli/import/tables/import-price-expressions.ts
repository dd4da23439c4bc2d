import { openPriceBook, PRICE_OPTIONS } from "../../../domain/models/pricing.ts";
import type { OptionKey } from "../../../settings/registry/index.ts";
import { priceOfExpression } from "../expressions/price-of-expression.ts";
import type { Report } from "../report.ts";

const KIND = "options";

/** new-api's options of expressions, under the names of its settings and of older releases. */
export const EXPRESSION_OPTIONS: ReadonlySet<string> = new Set([
  ...["billing_setting.billing_expr", "ModelBillingExpr"],
  ...["billing_setting.billing_mode", "ModelBillingMode"],
]);

/**
 * Prices that new-api keeps as expressions, in the price options: `accepted` gets what changes. Models whose expression says
 * what prices here cannot are reported, and so are all where a price option was set here already.
 */
export function importPriceExpressions(
  source: ReadonlyMap<string, string>,
  accepted: Map<OptionKey, string>,
  {
    present,
    textNow,
    report,
  }: Readonly<{
    present: ReadonlySet<string>;
    textNow: (key: OptionKey) => string;
    report: Report;
  }>,
): void {
  const expressions = textsOf(source.get("billing_setting.billing_expr") ?? source.get("ModelBillingExpr"));
  const modes = textsOf(source.get("billing_setting.billing_mode") ?? source.get("ModelBillingMode"));
  const used = [...expressions].filter(([model]) => modes.get(model) === "tiered_expr");
  if (used.length === 0) return;
  const stored = PRICE_OPTIONS.find((option) => present.has(option));
  if (stored) {
    report.remark(KIND, `prices by expression are left out, as ${stored} was set here already`);
    return;
  }
  const book = openPriceBook(textNow);
  const before = book.texts();
  for (const [model, expression] of used) {
    const ratios = priceOfExpression(expression);
    if (ratios) book.set(model, ratios);
    else report.skip(KIND, `${model}: its price is an expression that prices here cannot say: set it by hand`);
  }
  for (const [option, text] of book.texts()) if (text !== before.get(option)) accepted.set(option, text);
}

/** The texts of a JSON object; without those that are none. */
function textsOf(json: string | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  try {
    const value: unknown = JSON.parse(json ?? "{}");
    for (const [name, text] of Object.entries(value ?? {})) if (typeof text === "string") texts.set(name, text);
  } catch {
    return new Map();
  }
  return texts;
}
