import Box from "@mui/material/Box";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelSums } from "../../../../src/domain/channels/manage/list-channels.ts";
import { Money } from "../../../components/display/Money.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { balanceText } from "../cells/status-cells.tsx";

/** What stands below the rows, by column; empty while there is nothing to add up. */
export type Sums = Partial<Readonly<Record<"name" | "balance" | "used_quota", ReactNode>>>;

/** The totals of so many channels on all pages: their balances by currency, and what they used. */
export function useSums(sums: ChannelSums | undefined, count: number): Sums {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    if (!sums || count < 2) return NONE;
    const balances = sums.balances.map(({ currency, amount }) =>
      balanceText({ balance: amount, balance_currency: currency }, i18n.language),
    );
    return {
      name: t("channels.totalOf", { total: formatNumber(count) }),
      ...(balances.length > 0 && {
        balance: balances.map((text) => (
          <Box key={text} sx={{ lineHeight: "18px" }}>
            {text}
          </Box>
        )),
      }),
      used_quota: <Money quota={sums.used_quota} />,
    };
  }, [sums, count, t, i18n.language]);
}

const NONE: Sums = {};
