import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { readData } from "../../../../api/client.ts";
import { failureApi } from "../../../../api/groups.ts";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { Panel } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import type { DataScope, UsageView } from "../../entries/data-queries.ts";
import { HomeRow } from "./HomeRow.tsx";

const SHOWN = 4;

/** Why calls of the period failed, the most frequent causes first, without those that are muted or resolved. */
export const FailuresPanel = ({ view: { scope, period } }: { view: UsageView }) => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["home", "failures", scope, period],
    queryFn: async ({ signal }) => readFailures(scope, period, signal),
    placeholderData: keepPreviousData,
  });
  const search = { from: period.start, to: period.end };
  const groups = (data?.groups ?? [])
    .filter(({ state }) => state === "open")
    .toSorted((one, other) => other.count - one.count)
    .slice(0, SHOWN);
  return (
    <Panel
      title={t("failures.title")}
      action={
        <Link to="/failures" search={() => search}>
          {t("usage.allFailures")}
        </Link>
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={120} />}
      {data && groups.length === 0 && <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("usage.noFailures")}</Box>}
      {groups.map(({ cause, class: kind, model, channel_name: channel, count }) => (
        <HomeRow
          key={cause}
          name={t(`failures.classes.${kind}.title`)}
          detail={[model, channel].filter((part) => part !== "").join(" · ")}
          to="/failures"
          search={search}
        >
          <Box className="num" sx={{ fontWeight: 600, color: "tone.bad.text" }}>
            {formatNumber(count)}
          </Box>
        </HomeRow>
      ))}
    </Panel>
  );
};

function readFailures(scope: DataScope, { start, end }: UsageView["period"], signal: AbortSignal) {
  const query = { start_timestamp: start, end_timestamp: end };
  const call = scope === "all" ? failureApi : failureApi.self;
  return readData(call.get({ query, fetch: { signal } }));
}
