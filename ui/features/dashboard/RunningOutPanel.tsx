import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../components/ErrorState.tsx";
import { Panel, Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { runningOut } from "./data-queries.ts";

/** Whose balance ends first at the pace of the last week. */
export const RunningOutPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(runningOut);
  const daysText = (count: number) => t("dashboard.days", { count, shown: count.toLocaleString("en") });
  return (
    <Panel title={t("dashboard.runningOut")} hint={t("dashboard.pace")}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={120} />}
      {data?.length === 0 && <Box sx={{ color: "text.secondary" }}>{t("dashboard.nobody")}</Box>}
      {data?.map((user) => (
        <Row
          key={user.user_id}
          gap={4}
          sx={{ py: 2, borderTop: "1px solid", borderColor: "line.faint", "&:first-of-type": { borderTop: 0 } }}
        >
          <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>{user.username}</Box>
          <Money quota={user.quota} />
          <Box className="num" sx={{ minWidth: 72, textAlign: "right", fontWeight: 600 }}>
            {user.quota <= 0 ? t("dashboard.empty") : daysText(Math.floor(user.quota / user.daily_quota))}
          </Box>
        </Row>
      ))}
    </Panel>
  );
};
