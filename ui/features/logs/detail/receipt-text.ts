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
      const price = linePrice(line, t);
      const sum = price === "" ? "" : `${Number(line.quantity).toLocaleString("en")} × ${price} = `;
      return `${item(line.item)}: ${sum}${usd(Number(line.amount))}`;
    }),
    `${ratioText(entry.group, receipt, t)}: × ${receipt.groupRatio}`,
    `${t("components.receipt.charged")}: ${usd(receipt.total)} (${t("components.money.units", { units: receipt.total.toLocaleString("en") })})`,
  ].join("\n");
}

/** What the group's factor is called, with the discount that is in it. */
const ratioText = (group: string, { discountPercent: percent }: Receipt, t: TFunction): string =>
  percent === undefined
    ? t("components.receipt.groupRatio", { group })
    : t("components.receipt.discount", { group, percent });
