import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../components/ErrorState.tsx";
import { Panel } from "../../components/layout.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { moneyText } from "./money-text.ts";
import { TopUpForm } from "./TopUpForm.tsx";
import { topUpWays } from "./wallet-calls.ts";

/** Buying quota online; says so where that is not set up. */
export const TopUpCard = () => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const { data, error, refetch } = useQuery(topUpWays);
  const first = data?.ways[0];
  const minimum = data && amountText(format.inCurrency ? data.minimum * format.quotaPerUnit : data.minimum, format);
  return (
    <Panel
      title={t("wallet.topUp.title")}
      hint={
        first &&
        t("wallet.topUp.price", {
          price: moneyText(first.price, first.currency, i18n.language),
          minimum: minimum ?? "",
        })
      }
    >
      {!data ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rounded" height={160} />
        )
      ) : data.ways.length === 0 ? (
        <Box sx={{ py: 4, fontSize: 13, color: "text.secondary" }}>
          {data.link ? t("wallet.topUp.byLink") : t("wallet.topUp.off")}
          <Box sx={{ mt: 2 }}>
            {data.link ? (
              <a href={data.link} target="_blank" rel="noopener noreferrer">
                {t("wallet.redeem.buy")}
              </a>
            ) : (
              t("wallet.topUp.noLink")
            )}
          </Box>
        </Box>
      ) : (
        <TopUpForm ways={data.ways} minimum={data.minimum} />
      )}
    </Panel>
  );
};
