import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { PlanDraw, Receipt } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import {
  groupRatioLabel,
  includedText,
  linePriceText,
  roundingLabel,
  signed,
} from "../../../components/display/Receipt.tsx";
import { receiptSums } from "../../../components/display/receipt-sums.ts";
import { Row } from "../../../components/layout.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { type LogEntry, otherOf } from "../entries/log-entry.ts";
import { ReplayTools } from "./replay/ReplayTools.tsx";

/** Shares a call: its receipt as text, its link, its own page; repeats it. */
export const ShareTools = ({ entry, isPage }: { entry: LogEntry; isPage: boolean }) => {
  const { t } = useTranslation();
  const { receipt, request_id: noted, plan_draws: planDraws } = otherOf(entry);
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
      <CopyButton text={siteOrigin() + path} words={t("logs.share.link")} />
      {receipt && (
        <CopyButton text={receiptText(entry, receipt, requestId, t, planDraws)} words={t("logs.share.receipt")} />
      )}
      <ReplayTools entry={entry} />
    </Row>
  );
};

/** A receipt as plain text: the model, each line item, what the group and rounding change, and the total. */
export function receiptText(
  entry: LogEntry,
  receipt: Receipt,
  requestId: string,
  t: TFunction,
  planDraws: readonly PlanDraw[] = [],
): string {
  const sums = receiptSums(receipt);
  const item = (name: string) => t(`receipt.items.${name}`, { defaultValue: name });
  const included = planDraws.find(({ calls }) => calls !== undefined);
  const paidByPlan = included && [
    `${t("receipt.value")}: $${sums.charged}`,
    `${includedText(included, t)}: −$${sums.charged}`,
  ];
  const adjustment = sums.groupAdjustment && ` (${signed(sums.groupAdjustment)})`;
  return [
    `${entry.model_name} · ${new Date(entry.created_at * 1000).toISOString()} · ${requestId}`,
    ...sums.lines.map(
      ({ item: name, quantity, price, amount }) =>
        `${item(name)}: ${formatNumber(Number(quantity))} × ${linePriceText(price, t)} = $${amount}`,
    ),
    `${groupRatioLabel(entry.group, receipt, t)}: × ${receipt.groupRatio}${adjustment ?? ""}`,
    ...(sums.fee ? [`${t("receipt.ownKeyFee")}: ${signed(sums.fee)}`] : []),
    ...(sums.rounding ? [`${roundingLabel(sums, t)}: ${signed(sums.rounding)}`] : []),
    ...(paidByPlan ?? []),
    `${t("receipt.charged")}: $${included ? 0 : sums.charged} (${t("components.money.units", { units: formatNumber(included ? 0 : receipt.total) })})`,
  ].join("\n");
}
