import Download from "@mui/icons-material/FileDownloadOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Series, SeriesDimension, SeriesStep } from "../../../src/domain/logs/usage/series/read-series.ts";
import { Choice } from "../../components/charts/Choice.tsx";
import { STEP_SECONDS } from "../../components/charts/PeriodBars.tsx";
import { saveFile } from "../../components/display/DownloadButton.tsx";
import { Money } from "../../components/display/Money.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../components/feedback/SettingLink.tsx";
import { Col, PageHeader, Panel, Row } from "../../components/layout.tsx";
import { useAddress } from "../../components/use-address.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { useSite } from "../../state/site-status.ts";
import { useActing, useSeesAllUsers } from "../account/organizations/use-organization.ts";
import { withRight } from "../account/organizations/with-right.tsx";
import { logStat } from "../logs/log-queries.ts";
import { compactCount } from "../logs/overview/Overview.tsx";
import { RangePicker } from "../logs/overview/RangePicker.tsx";
import { rangeOf, useNow } from "../logs/time-range.ts";
import { CompareSelect, compareStartOf, DashboardFilters, filterChange, filterOf } from "./DashboardFilters.tsx";
import { runningOut, usageOverview, usageSeries } from "./data-queries.ts";
import { LatencyPanel } from "./LatencyPanel.tsx";
import { MarkList, useChartMarks } from "./marks.tsx";
import { OverviewTiles } from "./OverviewTiles.tsx";
import { SeriesTable } from "./SeriesTable.tsx";
import { type Measure, periodsOf, seriesCsv } from "./series-values.ts";
import { UsageChart } from "./UsageChart.tsx";

const OWN_DIMENSIONS = ["model", "group", "token", "tag"] as const;
const ORGANIZATION_DIMENSIONS = [...OWN_DIMENSIONS, "project", "member"] as const;
const ALL_DIMENSIONS = [...OWN_DIMENSIONS, "user", "channel"] as const;
const STEPS = ["hour", "day", "week"] as const;
/** Rows of the table when its others are expanded. */
const MOST_LISTED = 100;
const MEASURES = ["quota", "calls", "tokens"] as const;
const RANGES = ["24h", "7d", "30d", "90d", "365d"] as const;
const LONG_STEPS = ["day", "week"] as const;
const LONGEST_BY_HOUR_S = 15 * 86_400;

/** Usage over time: the user's own; all users' for administrators. */
const DetailContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const { id: organization, may } = useActing();
  const scope = isForAdmin ? "all" : "self";
  const [now, renew] = useNow({ isFollowing: false });
  const range = rangeOf(
    { range: address.text("range") || "7d", from: address.number("from"), to: address.number("to") },
    now,
  );
  const span = range.end - range.start;
  const dimensions: readonly SeriesDimension[] = isForAdmin
    ? ALL_DIMENSIONS
    : organization
      ? ORGANIZATION_DIMENSIONS
      : OWN_DIMENSIONS;
  const by = oneOf(dimensions, address.text("by"), "model");
  const site = useSite();
  // Hourly bars of long ranges would outnumber the page's pixels.
  const steps = span > LONGEST_BY_HOUR_S ? LONG_STEPS : STEPS;
  const step: SeriesStep = oneOf(
    steps,
    address.text("step"),
    oneOf(steps, site?.data_export_default_time ?? "", "day"),
  );
  const measure: Measure = oneOf(MEASURES, address.text("measure"), "quota");
  const filter = filterOf(address);
  // An open range ends in the future, where nothing can be compared.
  const period = { start: range.start, end: Math.min(range.end, now) };
  const stat = useQuery(logStat(scope, period));
  const versus = address.text("vs");
  const overview = useQuery(usageOverview(scope, period, filter, compareStartOf(versus, period.start)));
  const marks = useChartMarks(period, isForAdmin);
  const series = useQuery(usageSeries(scope, period, filter, { by, step }));
  const isExpanded = address.text("largest") !== "";
  const largest = useQuery({
    ...usageSeries(scope, period, filter, { by, step, most: MOST_LISTED }),
    enabled: isExpanded,
  });
  const chart = { series: series.data ?? [], periods: periodsOf(series.data ?? [], STEP_SECONDS[step], period) };
  const sampled = overview.data?.current.performance.calls ?? 0;
  const filterBy = (one: Series) => {
    const change = filterChange(by, one);
    return change && (() => address.set(change));
  };
  const nameOf = (one: Series): string =>
    one.key === null ? t("dashboard.others") : one.name || (one.key ? `#${one.key}` : t("dashboard.unnamed"));
  const download = () =>
    saveFile(new Blob([seriesCsv(series.data ?? [], nameOf)], { type: "text/csv" }), `usage-by-${by}.csv`);
  if (site && !site.enable_data_export)
    return (
      <EmptyState
        isPage
        icon={<InsightsOutlined />}
        title={t("dashboard.off")}
        body={t("dashboard.offBody")}
        action={<SettingLink tab="operation" field="DataExportEnabled" />}
      />
    );
  return (
    <>
      <PageHeader
        title={t("dashboard.title")}
        purpose={t("dashboard.purpose")}
        actions={
          may("exports.download") && (
            <Button startIcon={<Download />} disabled={!series.data?.length} onClick={download}>
              {t("components.exportCsv")}
            </Button>
          )
        }
      />
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
        {stat.data && (
          <Box className="num" sx={{ color: "text.secondary", fontSize: 12.5 }}>
            {t("dashboard.rates", { rpm: compactCount(stat.data.rpm), tpm: compactCount(stat.data.tpm) })}
          </Box>
        )}
      </Row>
      <DashboardFilters scope={scope} filter={filter} period={period} rangeName={range.name} />
      {overview.error && !overview.data ? (
        <ErrorState error={overview.error} onRetry={() => overview.refetch()} />
      ) : (
        <OverviewTiles overview={overview.data} chart={chart} />
      )}
      {(overview.isPending || (overview.data && overview.data.current.sums.count > sampled)) && (
        // Has its place from the start, so that the chart doesn't move.
        <Box
          sx={{ mt: -2, mb: 4, color: "text.tertiary", fontSize: 12, ...(!overview.data && { visibility: "hidden" }) }}
        >
          {t("dashboard.sampled", { count: sampled, number: formatNumber(sampled) })}
        </Box>
      )}
      <Col gap={4}>
        <Panel>
          <Row wrap gap={3} sx={{ mb: 4 }}>
            <Choice
              label={t("dashboard.measure")}
              value={measure}
              choices={MEASURES}
              words={(one) => t(`dashboard.measures.${one}`)}
              onChange={(next) => address.set({ measure: next })}
            />
            <Choice
              label={t("dashboard.by")}
              value={by}
              choices={dimensions}
              words={(one) => t(`dashboard.dimensions.${one}`)}
              onChange={(next) => address.set({ by: next })}
            />
            <Choice
              label={t("dashboard.step")}
              value={step}
              choices={steps}
              words={(one) => t(`dashboard.steps.${one}`)}
              onChange={(next) => address.set({ step: next })}
            />
          </Row>
          {series.error && !series.data && <ErrorState error={series.error} onRetry={() => series.refetch()} />}
          {series.isPending && <Skeleton variant="rounded" height={320} />}
          {series.data?.length === 0 && (
            <EmptyState icon={<InsightsOutlined />} title={t("dashboard.noCalls")} body={t("dashboard.noCallsBody")} />
          )}
          {series.data && series.data.length > 0 && (
            <UsageChart
              key={by}
              series={series.data}
              step={step}
              range={range}
              measure={measure}
              nameOf={nameOf}
              marks={marks}
            />
          )}
          <MarkList marks={marks} />
        </Panel>
        {series.data && series.data.length > 0 && (
          <Panel title={t("dashboard.table")}>
            <SeriesTable
              series={(isExpanded && largest.data) || series.data}
              nameOf={nameOf}
              onFilter={filterBy}
              onExpand={isExpanded ? null : () => address.set({ largest: MOST_LISTED })}
            />
          </Panel>
        )}
        {isForAdmin && <LatencyPanel period={period} filter={filter} />}
        {isForAdmin && <RunningOutPanel />}
      </Col>
    </>
  );
};

const oneOf = <Name extends string>(names: readonly Name[], text: string, otherwise: Name): Name =>
  names.find((name) => name === text) ?? otherwise;

/** Balances that last longer are not worth a look. */
const SOON_DAYS = 60;

/** The balances that run out first at last week's rate. */
const RunningOutPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(runningOut);
  const daysText = (count: number) => t("dashboard.days", { count, shown: formatNumber(count) });
  const soon = data?.filter(({ quota, daily_quota }) => quota / daily_quota < SOON_DAYS);
  return (
    <Panel title={t("dashboard.runningOut")} hint={t("dashboard.pace")}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={120} />}
      {soon?.length === 0 && <Box sx={{ color: "text.secondary" }}>{t("dashboard.nobody")}</Box>}
      {soon?.map((user) => (
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

export const DetailPage = withRight("usage.read", DetailContent);
