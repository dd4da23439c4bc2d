import { expect, test } from "bun:test";
import { findOption, type OptionKey } from "../../../settings/registry/index.ts";
import { createReport, writeReport } from "../report.ts";
import { importPriceExpressions } from "./import-price-expressions.ts";

const EXPRESSIONS = {
  peak: 'tier("base", p * 2 + c * 4) * (hour("Asia/Shanghai") >= 9 && hour("Asia/Shanghai") < 12 ? 2 : 1)',
  quick: 'tier("base", p * 1 + c * 1) * (param("service_tier") == "priority" ? 2 : 1)',
  odd: 'tier("base", max(p, 1) * 2)',
  unused: 'tier("base", p * 9)',
};
const source = new Map([
  ["billing_setting.billing_expr", JSON.stringify(EXPRESSIONS)],
  ["billing_setting.billing_mode", JSON.stringify({ peak: "tiered_expr", quick: "tiered_expr", odd: "tiered_expr" })],
]);

function run(present: readonly string[]) {
  const accepted = new Map<OptionKey, string>([["ModelRatio", '{"old": 1}']]);
  const report = createReport();
  const textNow = (key: OptionKey) => accepted.get(key) ?? findOption(key)?.initial ?? "";
  importPriceExpressions(source, accepted, { present: new Set(present), textNow, report });
  const json = (key: OptionKey) => JSON.parse(accepted.get(key) ?? "null");
  return { accepted, json, text: writeReport(report, false) };
}

test("expressions become prices with tiers and hours; what cannot be said is reported", () => {
  const { json, text } = run([]);
  expect(json("ModelRatio")).toEqual({ old: 1, peak: 1, quick: 0.5 });
  expect(json("PriceHours").peak).toEqual([
    { from: "09:00", until: "12:00", zone: "Asia/Shanghai", input: 2, output: 2 },
  ]);
  expect(json("ServiceTiers").quick).toEqual({ priority: { input: 2, output: 2 } });
  expect(text).toContain("odd: its price is an expression");
  expect(text).not.toContain("unused");
});

test("prices that were set here stay", () => {
  const { accepted, text } = run(["ModelRatio"]);
  expect([...accepted.keys()]).toEqual(["ModelRatio"]);
  expect(text).toContain("ModelRatio was set here already");
});
