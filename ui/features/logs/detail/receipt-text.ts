import type { TFunction } from "i18next";
import type { Receipt } from "../../../../src/billing/types.ts";
import { linePrice } from "../../../components/Receipt.tsx";
import type { LogEntry } from "../log-entry.ts";

const DECIMALS = 6;

/** A receipt as lines of text, to be pasted into a message: what was called, each sum, what was charged. */
export function receiptText(entry: LogEntry, receipt: Receipt, requestId: string, t: TFunction): string {
  const perUnit = Number(receipt.quotaPerUnit) || 1;
  const usd = (quota: number) => `$${(quota / perUnit).toFixed(DECIMALS)}`;
  const item = (name: string) => t(`components.receipt.items.${name}`, { defaultValue: name });
  return [
    `${entry.model_name} · ${new Date(entry.created_at * 1000).toISOString()} · ${requestId}`,
    ...receipt.lines.map((line) => {
      const price = linePrice(line, t("components.receipt.perCall"));
      return `${item(line.item)}: ${Number(line.quantity).toLocaleString("en")} × ${price} = ${usd(Number(line.amount))}`;
    }),
    `${t("components.receipt.groupRatio", { group: entry.group })}: × ${receipt.groupRatio}`,
    `${t("components.receipt.charged")}: ${usd(receipt.total)} (${t("components.money.units", { units: receipt.total.toLocaleString("en") })})`,
  ].join("\n");
}
