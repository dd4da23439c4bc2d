import Download from "@mui/icons-material/FileDownloadOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Series, SeriesDimension, SeriesStep } from "../../../src/domain/logs/usage/read-series.ts";
import { saveFile } from "../../components/display/DownloadButton.tsx";
import { Money } from "../../components/display/Money.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../components/feedback/SettingLink.tsx";
import { Col, PageHeader, Panel, Row } from "../../components/layout.tsx";
import { useAddress } from "../../components/use-address.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { useSite } from "../../state/site-status.ts";
import { useSeesAllUsers } from "../account/organizations/use-organization.ts";
import { logStat } from "../logs/log-queries.ts";
import { Summary } from "../logs/Overview.tsx";
import { RangePicker } from "../logs/RangePicker.tsx";
import { rangeOf, useNow } from "../logs/time-range.ts";
import { runningOut, usageSeries } from "./data-queries.ts";
import { Choice, LatencyPanel } from "./LatencyPanel.tsx";
import { SeriesTable } from "./SeriesTable.tsx";
import { type Measure, seriesCsv } from "./series-values.ts";
import { UsageChart } from "./UsageChart.tsx";

const OWN_DIMENSIONS = ["model", "group", "token"] as const;
const ALL_DIMENSIONS = [...OWN_DIMENSIONS, "user", "channel"] as const;
const STEPS = ["hour", "day", "week"] as const;
const MEASURES = ["quota", "calls", "tokens"] as const;
const RANGES = ["24h", "7d", "30d", "90d", "365d"] as const;
const LONG_STEPS = ["day", "week"] as const;
const LONGEST_BY_HOUR_S = 15 * 86_400;

/** Usage over time: the user's own; all users' for administrators. */
export const DetailPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const scope = isForAdmin ? "all" : "self";
  const [now, renew] = useNow(false);
  const range = rangeOf(
    { range: address.text("range") || "7d", from: address.number("from"), to: address.number("to") },
    now,
  );
  const span = range.end - range.start;
  const dimensions: readonly SeriesDimension[] = isForAdmin ? ALL_DIMENSIONS : OWN_DIMENSIONS;
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
  const stat = useQuery(logStat(scope, { start: range.start, end: range.end }));
  const series = useQuery(usageSeries(scope, { start: range.start, end: range.end, by, step }));
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
          <Button startIcon={<Download />} disabled={!series.data?.length} onClick={download}>
            {t("components.exportCsv")}
          </Button>
        }
      />
      <Panel pad={false} sx={{ mb: 4 }}>
        <Row wrap sx={{ px: { xs: 3, sm: 4 }, py: 2.5, rowGap: 3 }}>
          <Box sx={{ flex: "1 1 auto", minWidth: 0 }}>
            <Summary stat={stat.data} />
          </Box>
          <RangePicker
            range={range}
            names={RANGES}
            onNamed={(name) => {
              renew();
              address.set({ range: name, from: undefined, to: undefined });
            }}
            onCustom={(from, to) => address.set({ from, to, range: undefined })}
          />
        </Row>
      </Panel>
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
            <UsageChart key={by} series={series.data} step={step} range={range} measure={measure} nameOf={nameOf} />
          )}
        </Panel>
        {series.data && series.data.length > 0 && (
          <Panel title={t("dashboard.table")}>
            <SeriesTable series={series.data} nameOf={nameOf} />
          </Panel>
        )}
        {isForAdmin && <LatencyPanel start={range.start} end={range.end} />}
        {isForAdmin && <RunningOutPanel />}
      </Col>
    </>
  );
};

const oneOf = <Name extends string>(names: readonly Name[], text: string, otherwise: Name): Name =>
  names.find((name) => name === text) ?? otherwise;

/** The balances that run out first at last week's rate. */
const RunningOutPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(runningOut);
  const daysText = (count: number) => t("dashboard.days", { count, shown: formatNumber(count) });
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
