import Box from "@mui/material/Box";
import type { TFunction } from "i18next";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Receipt as ReceiptData } from "../../../src/billing/types.ts";
import { Row, usePhone } from "../layout.tsx";

type Props = {
  receipt: ReceiptData;
  group: string;
  /** Quota units that were held before the call. */
  reserved?: number | undefined;
  /** Quota units refunded later because the task failed. */
  refunded?: number | undefined;
};

const DECIMALS = 6;
/** A ratio of 1 means 2 dollars per million tokens. */
const USD_PER_MILLION_AT_RATIO_1 = 2;

/** The line items of a charge, in dollars. */
export const Receipt = ({ receipt, group, reserved, refunded }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const perUnit = Number(receipt.quotaPerUnit) || 1;
  const usd = (quota: number) => (quota / perUnit).toFixed(DECIMALS);
  const subtotal = Number(receipt.subtotal);
  const difference = receipt.total - subtotal;
  const heads = ["item", "quantity", "price", "usd"] as const;
  return (
    <Box
      sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, bgcolor: "surface.paper", px: 3, py: 2 }}
    >
      <Box
        className="num"
        sx={{
          display: "grid",
          gridTemplateColumns: isPhone ? "minmax(0,1fr) 56px 70px 76px" : "minmax(0,1fr) 72px 96px 88px",
          columnGap: 2,
          fontSize: 12.5,
          lineHeight: "24px",
          "& > .r": { textAlign: "right" },
        }}
      >
        {heads.map((head, index) => (
          <Box key={head} className={index ? "r" : ""} sx={{ fontSize: 11.5, color: "text.tertiary" }}>
            {t(`components.receipt.${head}`)}
          </Box>
        ))}
        <Rule />
        {receipt.lines.map((line) => (
          <Fragment key={line.item}>
            <Box>{t(`components.receipt.items.${line.item}`, { defaultValue: line.item })}</Box>
            <Box className="r" sx={{ color: "text.secondary" }}>
              {Number(line.quantity).toLocaleString("en")}
            </Box>
            <Box className="r" sx={{ color: "text.secondary" }}>
              {linePrice(line, t)}
            </Box>
            <Box className="r">{usd(Number(line.amount))}</Box>
          </Fragment>
        ))}
        <Rule />
        <Box>{t("components.receipt.subtotal")}</Box>
        <span />
        <span />
        <Box className="r">{usd(subtotal)}</Box>
        <Box sx={{ gridColumn: "span 2" }}>
          {receipt.discountPercent === undefined
            ? t("components.receipt.groupRatio", { group })
            : t("components.receipt.discount", { group, percent: receipt.discountPercent })}
        </Box>
        <Box className="r" sx={{ color: "text.secondary" }}>
          × {receipt.groupRatio}
        </Box>
        <Box className="r">{Math.abs(difference) < 1 ? "" : signed(difference / perUnit)}</Box>
        <Rule isStrong />
        <Box sx={{ fontWeight: 650 }}>{t("components.receipt.charged")}</Box>
        <Box className="r" sx={{ gridColumn: "span 2", color: "text.tertiary" }}>
          {t("components.money.units", { units: receipt.total.toLocaleString("en") })}
        </Box>
        <Box className="r" sx={{ fontWeight: 650 }}>
          {usd(receipt.total)}
        </Box>
      </Box>
      {receipt.contextOver !== undefined && (
        <Box className="num" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("components.receipt.contextOver", { over: receipt.contextOver.toLocaleString("en") })}
        </Box>
      )}
      {receipt.variant !== undefined && (
        <Box className="mono" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("components.receipt.variant", { variant: receipt.variant })}
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
          {t("components.receipt.reserved", { held: usd(reserved), back: usd(Math.max(reserved - receipt.total, 0)) })}
        </Row>
      )}
      {refunded !== undefined && refunded > 0 && (
        <Box className="num" sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
          {t("components.receipt.refunded", { amount: usd(refunded) })}
        </Box>
      )}
    </Box>
  );
};

const Rule = ({ isStrong }: { isStrong?: boolean }) => (
  <Box sx={{ gridColumn: "1 / -1", height: "1px", my: 1, bgcolor: isStrong ? "line.strong" : "line.main" }} />
);

/** Items counted in tokens; calls at a fixed price and server-side tools are priced per use. */
const PRICED_BY_TOKENS = /^(input|output|cache_read|cache_write(_1h)?|(audio|image)_(input|output))$/;

/** Dollars per million tokens, or per call, use or second. */
export function linePrice(line: ReceiptData["lines"][number], t: TFunction): string {
  const factor = Number(line.factor);
  if (line.item === "minimum") return "";
  if (line.item === "per_second") return `$${factor} ${t("components.receipt.perSecond")}`;
  if (!PRICED_BY_TOKENS.test(line.item)) return `$${factor} ${t("components.receipt.perCall")}`;
  return `$${(factor * USD_PER_MILLION_AT_RATIO_1).toLocaleString("en", { maximumFractionDigits: 4 })}`;
}

const signed = (usd: number): string => `${usd < 0 ? "−" : "+"}${Math.abs(usd).toFixed(DECIMALS)}`;
