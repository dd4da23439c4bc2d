import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { amountText, dollars, useMoneyFormat } from "./money-format.tsx";

type Props = {
  /** Quota units. */
  quota: number;
  decimals?: number;
  strong?: boolean;
};

const EXACT_DECIMALS = 6;

/** An amount in the site's way; the exact dollars and units on hover. Zeros at the end step back. */
export const Money = ({ quota, decimals = 2, strong }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const text = amountText(quota, format, decimals);
  const zeros = format.inCurrency && decimals > 2 ? (/0+$/.exec(text)?.[0].length ?? 0) : 0;
  const units = t("components.money.units", { units: quota.toLocaleString("en") });
  return (
    <Tooltip title={`${dollars(quota, format.quotaPerUnit, EXACT_DECIMALS)} · ${units}`}>
      <Box component="span" className="num" sx={{ whiteSpace: "nowrap", ...(strong && { fontWeight: 600 }) }}>
        {text.slice(0, text.length - zeros)}
        {zeros > 0 && (
          <Box component="span" sx={{ color: "text.tertiary", fontWeight: 400 }}>
            {text.slice(-zeros)}
          </Box>
        )}
      </Box>
    </Tooltip>
  );
};

/** A count; a dash where it is unknown. */
export const Count = ({ value, dim }: { value: number | null; dim?: boolean }) => (
  <Box component="span" className="num" sx={dim || !value ? { color: "text.tertiary" } : {}}>
    {value === null ? "–" : value.toLocaleString("en")}
  </Box>
);
