import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { replaceEqualDeep, useQuery } from "@tanstack/react-query";
import { memo, useDeferredValue, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { SeriesDimension, SeriesStep } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { Money } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { oneOf } from "../../../state/search-text.ts";
import { useSite } from "../../../state/site-status.ts";
import { runningOut, type UsageView } from "../entries/data-queries.ts";
import { logStat } from "../entries/log-queries.ts";
import { compactCount } from "../overview/Overview.tsx";
import { RangePicker } from "../overview/RangePicker.tsx";
import { rangeOf, useNow } from "../time-range.ts";
import { CompareSelect, compareStartOf, DashboardFilters, filterOf } from "./DashboardFilters.tsx";
import { LatencyPanel } from "./LatencyPanel.tsx";
import { OverviewTiles } from "./OverviewTiles.tsx";
import { SeriesPanel, UsageDownload, UsagePanel } from "./UsagePanel.tsx";

const OWN_DIMENSIONS = ["model", "group", "token", "tag"] as const;
const ORGANIZATION_DIMENSIONS = [...OWN_DIMENSIONS, "project", "member"] as const;
const ALL_DIMENSIONS = [...OWN_DIMENSIONS, "user", "channel"] as const;
const STEPS = ["hour", "day", "week"] as const;
const RANGES = ["24h", "7d", "30d", "90d", "365d"] as const;
const LONG_STEPS = ["day", "week"] as const;
const LONGEST_BY_HOUR_S = 15 * 86_400;

/** Usage over time: the user's own; all users' for administrators. */
const DetailContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const { id: organization } = useActing();
  const scope = isForAdmin ? "all" : "self";
  const [now, renew] = useNow({ isFollowing: false });
  const range = rangeOf(
    { range: address.text("range") || "7d", from: address.number("from"), to: address.number("to") },
    now,
  );
  const dimensions: readonly SeriesDimension[] = isForAdmin
    ? ALL_DIMENSIONS
    : organization
      ? ORGANIZATION_DIMENSIONS
      : OWN_DIMENSIONS;
  const by = oneOf(address.text("by"), dimensions) ?? "model";
  const site = useSite();
  // Hourly bars of long ranges would outnumber the page's pixels.
  const steps = range.end - range.start > LONGEST_BY_HOUR_S ? LONG_STEPS : STEPS;
  const step: SeriesStep = oneOf(address.text("step"), steps) ?? oneOf(site?.data_export_default_time, steps) ?? "day";
  const filter = filterOf(address);
  // An open range ends in the future, where nothing can be compared.
  const period = { start: range.start, end: Math.min(range.end, now) };
  const versus = address.text("vs");
  // What is below the first screen is rendered after it, in small steps.
  const hasTop = useDeferredValue(true, false);
  const view: UsageView = useUnchanged({ scope, range, period, filter, by, step });
  if (site && !site.enable_data_export)
    return (
      <EmptyState
        isPage
        icon={<InsightsOutlined />}
        title={t("usage.off")}
        body={t("usage.offBody")}
        action={<SettingLink tab="operation" field="DataExportEnabled" />}
      />
    );
  return (
    <>
      <PageHeader title={t("usage.title")} purpose={t("usage.purpose")} actions={<UsageDownload view={view} />} />
      <Row wrap gap={4} sx={{ mb: 4, rowGap: 2 }}>
        <RangePicker
          range={range}
          names={RANGES}
          onNamed={(name) => {
            renew();
            address.set({ range: name, from: undefined, to: undefined });
          }}
          onCustom={(from, to) => address.set({ from, to, range: undefined })}
        />
        <CompareSelect value={versus} start={period.start} onChange={(vs) => address.set({ vs })} />
        <Rates view={view} />
      </Row>
      <DashboardFilters scope={scope} filter={filter} period={period} rangeName={range.name} />
      <OverviewTiles view={view} compareStart={compareStartOf(versus, period.start)} />
      <Col gap={4}>
        <UsagePanel view={view} dimensions={dimensions} steps={steps} isForAdmin={isForAdmin} />
        {hasTop ? <SeriesPanel view={view} /> : <Box sx={{ minHeight: "100vh" }} />}
        {hasTop && isForAdmin && <LatencyPanel period={view.period} filter={view.filter} />}
        {hasTop && isForAdmin && <RunningOutPanel />}
      </Col>
    </>
  );
};

/** The object of the render before while this one says the same, so that what depends on it is not rendered again. */
function useUnchanged<Value>(value: Value): Value {
  const last = useRef(value);
  last.current = replaceEqualDeep(last.current, value);
  return last.current;
}

/** Requests and tokens a minute; has its place from the start, so that nothing moves. */
const Rates = memo(({ view: { scope, period } }: { view: UsageView }) => {
  const { t } = useTranslation();
  const { data } = useQuery(logStat(scope, period));
  return (
    <Box className="num" sx={{ color: "text.secondary", fontSize: 12.5, ...(!data && { visibility: "hidden" }) }}>
      {t("usage.rates", { rpm: compactCount(data?.rpm ?? 0), tpm: compactCount(data?.tpm ?? 0) })}
    </Box>
  );
});

/** Balances that last longer are not worth a look. */
const SOON_DAYS = 60;

/** The balances that run out first at last week's rate. */
const RunningOutPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(runningOut);
  const daysText = (count: number) => t("usage.days", { count, shown: formatNumber(count) });
  const soon = data?.filter(({ quota, daily_quota }) => quota / daily_quota < SOON_DAYS);
  return (
    <Panel title={t("usage.runningOut")} hint={t("usage.pace")}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={120} />}
      {soon?.length === 0 && <Box sx={{ color: "text.secondary" }}>{t("usage.nobody")}</Box>}
      {soon?.map((user) => (
        <Row
          key={user.user_id}
          gap={4}
          sx={{ py: 2, borderTop: "1px solid", borderColor: "line.faint", "&:first-of-type": { borderTop: 0 } }}
        >
          <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>{user.username}</Box>
          <Money quota={user.quota} />
          <Box className="num" sx={{ minWidth: 72, textAlign: "right", fontWeight: 600 }}>
            {user.quota <= 0 ? t("usage.empty") : daysText(Math.floor(user.quota / user.daily_quota))}
          </Box>
        </Row>
      ))}
    </Panel>
  );
};

export const DetailPage = withRight("usage.read", DetailContent);
