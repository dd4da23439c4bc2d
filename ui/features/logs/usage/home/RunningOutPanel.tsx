import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Money } from "../../../../components/display/Money.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { Panel } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import { runningOut } from "../../entries/data-queries.ts";
import { HomeRow } from "./HomeRow.tsx";

/** Balances that last longer are not worth a look. */
const SOON_DAYS = 60;
/** Whoever has less needs credit this week. */
const URGENT_DAYS = 7;

/** The balances that run out first at last week's rate. */
export const RunningOutPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(runningOut);
  const daysText = (count: number) => t("usage.days", { count, shown: formatNumber(count) });
  const soon = data?.filter(({ quota, daily_quota }) => quota / daily_quota < SOON_DAYS);
  return (
    <Panel title={t("usage.runningOut")} hint={t("usage.pace")}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={120} />}
      {soon?.length === 0 && <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("usage.nobody")}</Box>}
      {soon?.map(({ user_id: id, username, quota, daily_quota: daily }) => {
        const days = Math.floor(quota / daily);
        return (
          <HomeRow key={id} name={username} to={`/user/edit/${id}`}>
            <Money quota={quota} />
            <Box
              className="num"
              sx={{
                ...{ minWidth: 60, textAlign: "right", fontWeight: 600 },
                ...(days < URGENT_DAYS && { color: quota <= 0 ? "tone.bad.text" : "tone.warn.text" }),
              }}
            >
              {quota <= 0 ? t("usage.empty") : daysText(days)}
            </Box>
          </HomeRow>
        );
      })}
    </Panel>
  );
};
