import { expect, test } from "bun:test";
import i18next from "i18next";
import en from "../../../locales/en.ts";
import type { LogEntry } from "../log-entry.ts";
import { receiptText } from "./ShareTools.tsx";

test("a receipt as text has every sum of it", async () => {
  const i18n = i18next.createInstance();
  await i18n.init({ lng: "en", resources: { en: { translation: en } } });
  const entry = { model_name: "gpt-4o", created_at: 1_767_225_600, group: "vip" } as LogEntry;
  const receipt = {
    lines: [
      { item: "input", quantity: "1000", factor: "1.25", amount: "1250" },
      { item: "output", quantity: "500", factor: "5", amount: "2500" },
    ],
    subtotal: "3750",
    groupRatio: "0.5",
    quotaPerUnit: "500000",
    total: 1875,
  };
  expect(receiptText(entry, receipt as never, "req-1", i18n.t)).toBe(
    [
      "gpt-4o · 2026-01-01T00:00:00.000Z · req-1",
      "Input: 1,000 × $2.5 = $0.002500",
      "Output: 500 × $10 = $0.005000",
      "Group ratio, vip: × 0.5",
      "Charged: $0.003750 (1,875 quota units)",
    ].join("\n"),
  );
});
