import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../components/ErrorState.tsx";
import { Panel, Row } from "../../components/layout.tsx";
import { Count, Money } from "../../components/Money.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { self } from "../personal/self-calls.ts";

/** What there is, and what was used. */
export const BalanceCard = () => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { data, error, refetch } = useQuery(self);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <Panel>
      <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("wallet.balance")}</Box>
      {data ? (
        <Box
          className="num"
          sx={{ mt: 1, fontSize: 34, lineHeight: "42px", fontWeight: 650, overflowWrap: "anywhere" }}
        >
          {amountText(data.quota, format)}
        </Box>
      ) : (
        <Skeleton width={160} height={42} />
      )}
      <Box className="num" sx={{ fontSize: 13, color: "text.secondary" }}>
        {data ? t("wallet.units", { units: data.quota.toLocaleString("en") }) : <Skeleton width={96} height={20} />}
      </Box>
      <Row
        gap={4}
        sx={{ mt: 6, pt: 4, borderTop: "1px solid", borderColor: "line.faint", justifyContent: "space-between" }}
      >
        <Fact name={t("wallet.used")}>{data ? <Money quota={data.used_quota} /> : "–"}</Fact>
        <Fact name={t("wallet.requests")}>{data ? <Count value={data.request_count} /> : "–"}</Fact>
        <Fact name={t("wallet.group")}>{data?.group ?? "–"}</Fact>
      </Row>
    </Panel>
  );
};

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box sx={{ minWidth: 0 }}>
    <Box sx={{ fontSize: 12, color: "text.secondary" }}>{name}</Box>
    <Box sx={{ fontSize: 13, fontWeight: 620, overflowWrap: "anywhere" }}>{children}</Box>
  </Box>
);
