import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Receipt } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { linePrice } from "../../../components/display/Receipt.tsx";
import { Row } from "../../../components/layout.tsx";
import { type LogEntry, otherOf } from "../log-entry.ts";

/** Shares a call: its receipt as text, its link, its own page. */
export const ShareTools = ({ entry, isPage }: { entry: LogEntry; isPage: boolean }) => {
  const { t } = useTranslation();
  const { receipt, request_id: noted } = otherOf(entry);
  const requestId = noted ?? entry.request_id;
  if (!requestId) return null;
  const path = `/log/${encodeURIComponent(requestId)}`;
  return (
    <Row gap={2} wrap sx={{ mb: 4 }}>
      {!isPage && (
        <Button component={Link} to={path} size="small" variant="text" startIcon={<OpenInNew />}>
          {t("logs.share.open")}
        </Button>
      )}
      <CopyButton text={`${location.origin}${path}`} words={t("logs.share.link")} />
      {receipt && <CopyButton text={receiptText(entry, receipt, requestId, t)} words={t("logs.share.receipt")} />}
    </Row>
  );
};

const DECIMALS = 6;

/** A receipt as plain text: the model, each line item and the total. */
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

/** The label of the group's ratio, with its discount. */
const ratioText = (group: string, { discountPercent: percent }: Receipt, t: TFunction): string =>
  percent === undefined
    ? t("components.receipt.groupRatio", { group })
    : t("components.receipt.discount", { group, percent });
