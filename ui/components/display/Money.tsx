import Box from "@mui/material/Box";
import { atom, useAtomValue } from "jotai";
import { useTranslation } from "react-i18next";
import type { MoneyFormat } from "../../lib/format/amount-text.ts";
import { formatDollars } from "../../lib/format/money.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { siteAtom } from "../../state/site-atom.ts";
import { Tip } from "../tip/Tip.tsx";

type Props = {
  /** Quota units. */
  quota: number;
  decimals?: number;
  /** As many decimals as the amount has, two at least. */
  exact?: boolean;
  strong?: boolean;
};

const EXACT_DECIMALS = 6;

/** An amount in the site's format; exact dollars and units on hover. Trailing zeros are dimmed. */
export const Money = ({ quota, decimals: fixed = 2, exact, strong }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const decimals = exact ? decimalsOf(quota, format) : fixed;
  const text = amountText(quota, format, decimals);
  const zeros = format.inCurrency && decimals > 2 ? (/\.?0+$/.exec(text)?.[0].length ?? 0) : 0;
  const units = t("components.money.units", { units: formatNumber(quota) });
  return (
    <Tip title={`${dollars(quota, format.quotaPerUnit, EXACT_DECIMALS)} · ${units}`}>
      <Box component="span" className="num" sx={{ whiteSpace: "nowrap", ...(strong && { fontWeight: 600 }) }}>
        {text.slice(0, text.length - zeros)}
        {zeros > 0 && (
          <Box component="span" sx={{ color: "text.tertiary", fontWeight: 400 }}>
            {text.slice(-zeros)}
          </Box>
        )}
      </Box>
    </Tip>
  );
};

/** A count; a dash where it is unknown. */
export const Count = ({ value, dim }: { value: number | null; dim?: boolean }) => (
  <Box component="span" className="num" sx={dim || !value ? { color: "text.tertiary" } : {}}>
    {value === null ? "–" : formatNumber(value)}
  </Box>
);

const DEFAULT_MONEY_FORMAT: MoneyFormat = { quotaPerUnit: 500_000, inCurrency: true };

const moneyFormatAtom = atom((get): MoneyFormat => {
  const site = get(siteAtom);
  return site ? { quotaPerUnit: site.quota_per_unit, inCurrency: site.display_in_currency } : DEFAULT_MONEY_FORMAT;
});

/** The site's format for amounts. */
export const useMoneyFormat = (): MoneyFormat => useAtomValue(moneyFormatAtom);

/** Quota units as dollars with a fixed number of decimals, sign in front: "−$1,234.50". */
export const dollars = (quota: number, quotaPerUnit: number, decimals: number): string =>
  formatDollars(quota / quotaPerUnit, decimals);

/** An amount as the site shows it: dollars, or quota units. */
export const amountText = (quota: number, { inCurrency, quotaPerUnit }: MoneyFormat, decimals = 2): string =>
  inCurrency ? dollars(quota, quotaPerUnit, decimals) : formatNumber(quota);

const FEWEST_DECIMALS = 2;
const MOST_DECIMALS = 6;

/** An amount that somebody set, with as many decimals as it takes, two at least: "$3.00", "$0.002". */
export const exactAmountText = (quota: number, format: MoneyFormat): string =>
  amountText(quota, format, decimalsOf(quota, format));

function decimalsOf(quota: number, { quotaPerUnit }: MoneyFormat): number {
  let decimals = FEWEST_DECIMALS;
  while (decimals < MOST_DECIMALS && (quota * 10 ** decimals) % quotaPerUnit !== 0) decimals += 1;
  return decimals;
}
