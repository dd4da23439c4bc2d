import Box from "@mui/material/Box";
import type { TFunction } from "i18next";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { LogOther, PlanDraw, Receipt as ReceiptData } from "../../../src/billing/types.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { Row, usePhone } from "../layout.tsx";
import { dollars } from "./Money.tsx";
import { type LinePrice, type ReceiptSums, receiptSums } from "./receipt-sums.ts";

type Props = {
  receipt: ReceiptData;
  group: string;
  /** Quota units that were held before the call. */
  reserved?: number | undefined;
  /** Quota units refunded later because the task failed. */
  refunded?: number | undefined;
  /** What windows of plans paid of it; the balance paid the rest. */
  planDraws?: LogOther["plan_draws"];
  /** Quota units that were charged; less than the total where the balance was too small. */
  paid?: number;
};

/** Decimals of the amounts below the sums. */
const DECIMALS = 6;

/** The line items of a charge, in dollars. */
export const Receipt = ({ receipt, group, reserved, refunded, planDraws, paid = receipt.total }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const sums = receiptSums(receipt);
  const usd = (quota: number) => dollars(quota, Number(receipt.quotaPerUnit) || 1, DECIMALS);
  const included = planDraws?.find(({ calls }) => calls !== undefined);
  const drawn = (planDraws ?? []).filter(({ calls }) => calls === undefined);
  const planRest = drawn.reduce((rest, { units }) => rest - units, paid);
  const heads = ["item", "quantity", "price", "usd"] as const;
  return (
    <Box
      sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, bgcolor: "surface.paper", px: 3, py: 2 }}
    >
      <Box
        className="num"
        sx={{
          display: "grid",
          gridTemplateColumns: "minmax(0,1fr) repeat(3, auto)",
          columnGap: isPhone ? 2 : 4,
          fontSize: 12.5,
          lineHeight: "24px",
          "& > .r": { textAlign: "right", whiteSpace: "nowrap" },
        }}
      >
        {heads.map((head, index) => (
          <Box key={head} className={index ? "r" : ""} sx={{ fontSize: 11.5, color: "text.tertiary" }}>
            {t(`receipt.${head}`)}
          </Box>
        ))}
        <Rule />
        {sums.lines.map((line) => (
          <Fragment key={line.item}>
            <Box>{t(`receipt.items.${line.item}`, { defaultValue: line.item })}</Box>
            <Box className="r" sx={{ color: "text.secondary" }}>
              {formatNumber(Number(line.quantity))}
            </Box>
            <Box className="r" sx={{ color: "text.secondary" }}>
              {line.price.per === "million" ? `$${line.price.usd}` : linePriceText(line.price, t)}
            </Box>
            <Amount text={line.amount} />
          </Fragment>
        ))}
        <Rule />
        <Box sx={{ gridColumn: "span 3" }}>{t("receipt.subtotal")}</Box>
        <Amount text={sums.subtotal} />
        <Box sx={{ gridColumn: "span 2" }}>{groupRatioLabel(group, receipt, t)}</Box>
        <Box className="r" sx={{ color: "text.secondary" }}>
          × {receipt.groupRatio}
        </Box>
        <Amount text={sums.groupAdjustment && signed(sums.groupAdjustment)} />
        {sums.fee && (
          <>
            <Box sx={{ gridColumn: "span 3" }}>{t("receipt.ownKeyFee")}</Box>
            <Amount text={signed(sums.fee)} />
          </>
        )}
        {sums.rounding && (
          <>
            <Box sx={{ gridColumn: "span 3" }}>{roundingLabel(sums, t)}</Box>
            <Amount text={signed(sums.rounding)} />
          </>
        )}
        <Rule isStrong />
        {included && (
          <>
            <Box sx={{ gridColumn: "span 3" }}>{t("receipt.value")}</Box>
            <Amount text={sums.charged} />
            <Draw label={includedText(included, t)} amount={signed(`-${sums.charged}`)} />
          </>
        )}
        <Box sx={{ fontWeight: 650 }}>{t("receipt.charged")}</Box>
        <Box className="r" sx={{ gridColumn: "span 2", color: "text.tertiary" }}>
          {t("components.money.units", { units: formatNumber(included ? 0 : receipt.total) })}
        </Box>
        <Amount text={included ? usd(0) : sums.charged} isStrong />
        {drawn.map(({ subscription, plan, units }) => (
          <Draw key={subscription} label={t("receipt.fromPlan", { plan })} amount={usd(units)} />
        ))}
        {drawn.length > 0 && planRest > 0 && <Draw label={t("receipt.fromBalance")} amount={usd(planRest)} />}
      </Box>
      {receipt.contextOver !== undefined && (
        <Box className="num" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("receipt.contextOver", { over: formatNumber(receipt.contextOver) })}
        </Box>
      )}
      {specialNotes(receipt, t).map((note) => (
        <Box key={note} sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {note}
        </Box>
      ))}
      {receipt.variant !== undefined && (
        <Box className="mono" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("receipt.variant", { variant: receipt.variant })}
        </Box>
      )}
      {reserved !== undefined && reserved > 0 && (
        <Row
          className="num"
          sx={{
            mt: 1.5,
            pt: 1.5,
            borderTop: "1px dashed",
            borderColor: "line.main",
            fontSize: 11.5,
            lineHeight: "16px",
            color: "text.tertiary",
          }}
        >
          {t("receipt.reserved", { held: usd(reserved), back: usd(Math.max(reserved - receipt.total, 0)) })}
        </Row>
      )}
      {included && refunded !== undefined && (
        <Box sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("receipt.callReturned")}
        </Box>
      )}
      {refunded !== undefined && refunded > 0 && (
        <Box className="num" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("receipt.refunded", { amount: usd(refunded) })}
        </Box>
      )}
    </Box>
  );
};

const Rule = ({ isStrong }: { isStrong?: boolean }) => (
  <Box sx={{ gridColumn: "1 / -1", height: "1px", my: 1, bgcolor: isStrong ? "line.strong" : "line.main" }} />
);

/** Which service tier and hours the prices of a receipt are of. */
const specialNotes = ({ serviceTier, isGeneralTier, hours }: ReceiptData, t: TFunction): string[] => [
  ...(serviceTier === undefined
    ? []
    : [t(isGeneralTier ? "receipt.generalTier" : "receipt.serviceTier", { tier: serviceTier })]),
  ...(hours === undefined ? [] : [t("receipt.hours", { hours })]),
];

/** What paid for a part of the charge. */
const Draw = ({ label, amount }: { label: string; amount: string }) => (
  <>
    <Box sx={{ gridColumn: "span 3", color: "text.secondary" }}>{label}</Box>
    <Box className="r" sx={{ color: "text.secondary" }}>
      {amount}
    </Box>
  </>
);

/** Which of the calls that a plan includes a call was. */
export const includedText = ({ plan, call, calls = 0 }: PlanDraw, t: TFunction): string =>
  typeof call === "number"
    ? t("receipt.included", { plan, call: formatNumber(call), calls: formatNumber(calls) })
    : t("receipt.includedLate", { plan });

/** An amount of dollars; the zeros at its end are dimmed. */
const Amount = ({ text, isStrong }: { text: string | null; isStrong?: boolean }) => {
  const zeros = text ? (/0+$/.exec(text)?.[0].length ?? 0) : 0;
  return (
    <Box className="r" sx={isStrong ? { fontWeight: 650 } : {}}>
      {text?.slice(0, text.length - zeros)}
      {zeros > 0 && (
        <Box component="span" sx={{ color: "text.tertiary", fontWeight: 400 }}>
          {text?.slice(-zeros)}
        </Box>
      )}
    </Box>
  );
};

/** "$2.5 /1M", "$0.01 /call", "$0.1 /s". */
export const linePriceText = ({ usd, per }: LinePrice, t: TFunction): string => `$${usd} ${t(`receipt.per.${per}`)}`;

/** The label of the group's ratio, with its discount. */
export const groupRatioLabel = (group: string, receipt: ReceiptData, t: TFunction): string => {
  const { cacheHitPercent, ownKeyPercent, discountPercent: percent } = receipt;
  if (ownKeyPercent !== undefined) return t("receipt.ownKey", { group, percent: ownKeyPercent });
  if (cacheHitPercent !== undefined) return t("receipt.cacheHit", { group, percent: cacheHitPercent });
  return percent === undefined ? t("receipt.groupRatio", { group }) : t("receipt.discount", { group, percent });
};

/** The label of the difference between the exact sum and the whole units charged. */
export const roundingLabel = ({ isMinimum }: ReceiptSums, t: TFunction): string =>
  t(isMinimum ? "receipt.minimum" : "receipt.rounding");

/** Decimal text with its sign in front: "+0.000001", "−0.000001". */
export const signed = (amount: string): string => (amount.startsWith("-") ? `−${amount.slice(1)}` : `+${amount}`);
