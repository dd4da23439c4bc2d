import Download from "@mui/icons-material/FileDownloadOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { lazy, memo, Suspense, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import type { Series, SeriesDimension, SeriesStep } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { Choice } from "../../../components/charts/Choice.tsx";
import { saveFile } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { oneOf } from "../../../state/search-text.ts";
import { type UsageView, viewMargins, viewSeries } from "../entries/data-queries.ts";
import { filterChange } from "./DashboardFilters.tsx";
import { MarkList, useChartMarks } from "./marks.tsx";
import { SeriesTable } from "./SeriesTable.tsx";
import { type Measure, seriesCsv } from "./series-values.ts";

/** Requested with the page, but the page doesn't wait for it. */
const chart = import("./UsageChart.tsx");
const UsageChart = lazy(async () => ({ default: (await chart).UsageChart }));

const MEASURES = ["quota", "calls", "tokens"] as const;
/** Rows of the table when its others are expanded. */
const MOST_LISTED = 100;
/** Of the chart with a line of names, and of a table of a few rows. */
const HEIGHT_PX = { chart: 314, table: 320 } as const;

type UsagePanelProps = Readonly<{
  view: UsageView;
  dimensions: readonly SeriesDimension[];
  steps: readonly SeriesStep[];
  isForAdmin: boolean;
}>;

/** Usage over time, how it is split, and what happened meanwhile. */
export const UsagePanel = memo(({ view, dimensions, steps, isForAdmin }: UsagePanelProps) => {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useSeriesName();
  const measure: Measure = oneOf(address.text("measure"), MEASURES) ?? "quota";
  const { data, error, isPending, refetch } = useQuery(viewSeries(view));
  // The chart is the largest part of the page: React renders it in small steps, after the figures.
  const series = useDeferredValue(data);
  const marks = useChartMarks(view.period, isForAdmin);
  const placeholder = <Skeleton variant="rounded" height={HEIGHT_PX.chart} />;
  return (
    <Panel>
      <Row wrap gap={3} sx={{ mb: 4 }}>
        <Choice
          label={t("usage.measure")}
          value={measure}
          choices={MEASURES}
          words={(one) => t(`usage.measures.${one}`)}
          onChange={(next) => address.set({ measure: next })}
        />
        <Choice
          label={t("usage.by")}
          value={view.by}
          choices={dimensions}
          words={(one) => t(`usage.dimensions.${one}`)}
          onChange={(next) => address.set({ by: next })}
        />
        <Choice
          label={t("usage.step")}
          value={view.step}
          choices={steps}
          words={(one) => t(`usage.steps.${one}`)}
          onChange={(next) => address.set({ step: next })}
        />
      </Row>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {data?.length === 0 && (
        <EmptyState icon={<InsightsOutlined />} title={t("usage.noCalls")} body={t("usage.noCallsBody")} />
      )}
      {(isPending || (data && data.length > 0)) && (
        <Suspense fallback={placeholder}>
          <UsageChart
            key={view.by}
            series={series}
            placeholder={placeholder}
            step={view.step}
            range={view.range}
            measure={measure}
            nameOf={nameOf}
            marks={marks}
          />
        </Suspense>
      )}
      <MarkList marks={marks} />
    </Panel>
  );
});

/** The totals of the series that the chart shows. */
export const SeriesPanel = memo(({ view }: { view: UsageView }) => {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useSeriesName();
  const isExpanded = address.text("largest") !== "";
  const { data, isPending } = useQuery(viewSeries(view));
  const largest = useQuery({ ...viewSeries(view, MOST_LISTED), enabled: isExpanded });
  const margins = useQuery(viewMargins(view)).data;
  const filterBy = (one: Series) => {
    const change = filterChange(view.by, one);
    return change && (() => address.set(change));
  };
  if (!isPending && !data?.length) return null;
  return (
    <Panel title={t("usage.table")}>
      {data ? (
        <SeriesTable
          series={(isExpanded && largest.data) || data}
          nameOf={nameOf}
          onFilter={filterBy}
          onExpand={isExpanded ? null : () => address.set({ largest: MOST_LISTED })}
          margins={margins?.length ? new Map(margins.map((margin) => [margin.key, margin])) : null}
        />
      ) : (
        <Skeleton variant="rounded" height={HEIGHT_PX.table} />
      )}
    </Panel>
  );
});

/** Saves the series as a file. */
export const UsageDownload = memo(({ view }: { view: UsageView }) => {
  const { t } = useTranslation();
  const { may } = useActing();
  const nameOf = useSeriesName();
  const { data = [] } = useQuery(viewSeries(view));
  if (!may("exports.download")) return null;
  const download = () => saveFile(new Blob([seriesCsv(data, nameOf)], { type: "text/csv" }), `usage-by-${view.by}.csv`);
  return (
    <Button startIcon={<Download />} disabled={data.length === 0} onClick={download}>
      {t("components.exportCsv")}
    </Button>
  );
});

function useSeriesName(): (one: Series) => string {
  const { t } = useTranslation();
  return (one) => (one.key === null ? t("usage.others") : one.name || (one.key ? `#${one.key}` : t("usage.unnamed")));
}
