import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useTheme } from "@mui/material/styles";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ExperimentPoint } from "../../../../src/domain/models/experiments/experiment-series.ts";
import { Choice } from "../../../components/charts/Choice.tsx";
import { PeriodBars } from "../../../components/charts/PeriodBars.tsx";
import { STEP_SECONDS, shiftPeriod } from "../../../components/charts/period-steps.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { amountText, Money, useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import { type ExperimentView, experimentSeries } from "../routes/experiment-form.ts";
import { COMPARISON } from "./comparison.tsx";

const CHART_METRICS = ["latency", "first_token", "cost", "errors"] as const;
type ChartMetric = (typeof CHART_METRICS)[number];
type ChartStep = "hour" | "day";

/** A few bars would be as wide as the page. */
const FEWEST = { hour: 12, day: 7 } as const;

/** The step to start with: hours for what is at most two days old. */
export function stepOf(days: readonly ExperimentPoint[]): ChartStep {
  const starts = days.map(({ start }) => start);
  const isShort = starts.length === 0 || Math.max(...starts) - Math.min(...starts) <= STEP_SECONDS.day;
  return isShort ? "hour" : "day";
}

/** A side's figure in a period; null where nothing is known: nobody called, or every call failed. */
function metricOf(point: ExperimentPoint | undefined, metric: ChartMetric): number | null {
  if (!point) return null;
  if (metric === "errors") return point.failed / point.calls;
  return metric === "latency" ? point.latency_ms : metric === "cost" ? point.cost : point.first_token_ms;
}

/**
 * What a chart shows of both sides: all periods from the first to the last with calls, and some before where these are few, in epoch
 * seconds, with a value or null for each. No periods when the metric is known of none.
 */
export function barsOf(points: readonly ExperimentPoint[], step: ChartStep, metric: ChartMetric) {
  const known = points.filter((point) => metricOf(point, metric) !== null);
  const starts = known.map(({ start }) => start);
  const last = Math.max(...starts);
  const first = Math.min(...starts, shiftPeriod(last, step, 1 - FEWEST[step]));
  const count = starts.length === 0 ? 0 : Math.round((last - first) / STEP_SECONDS[step]) + 1;
  const periods = Array.from({ length: count }, (_, index) => shiftPeriod(first, step, index));
  const side = (isTrial: boolean) => {
    const byStart = new Map(known.filter(({ is_trial }) => is_trial === isTrial).map((point) => [point.start, point]));
    return periods.map((start) => metricOf(byStart.get(start), metric));
  };
  return { periods, control: side(false), trial: side(true) };
}

const STEPS = ["hour", "day"] as const;
const COST_DECIMALS = 6;

/** Both sides of an experiment over time: response time, first token, cost or errors, by hour or day. */
const ExperimentChart = ({ route }: Readonly<{ route: string }>) => {
  const { t } = useTranslation();
  const { vars, palette } = useTheme();
  const colors = (vars ?? { palette }).palette.series;
  const money = useMoneyFormat();
  const [metric, setMetric] = useState<ChartMetric>("latency");
  const [chosen, setChosen] = useState<ChartStep | null>(null);
  const days = useQuery(experimentSeries(route, "day"));
  const step = chosen ?? stepOf(days.data ?? []);
  const { data, error, refetch } = useQuery({ ...experimentSeries(route, step), enabled: days.isSuccess });
  const failure = days.error ?? error;
  if (failure && !data)
    return <ErrorState error={failure} onRetry={() => void (days.error ? days : { refetch }).refetch()} />;
  if (!data) return <Skeleton variant="rounded" height={240} />;
  const text = (value: number): string => {
    if (metric === "errors") return formatShare(value);
    return metric === "cost" ? amountText(value, money, COST_DECIMALS) : formatDuration(Math.round(value));
  };
  const { periods, control, trial } = barsOf(data, step, metric);
  const sides = [
    { id: "control", label: t("experiments.current"), color: colors.s7, data: control },
    { id: "trial", label: t("experiments.new"), color: colors.s1, data: trial },
  ];
  return (
    <Col gap={3}>
      <Row wrap gap={3}>
        <Choice
          label={t("experiments.metric")}
          value={metric}
          choices={CHART_METRICS}
          words={(one) => t(`experiments.metrics.${one}`)}
          onChange={setMetric}
        />
        <Choice
          label={t("experiments.chart.step")}
          value={step}
          choices={STEPS}
          words={(one) => t(`experiments.chart.steps.${one}`)}
          onChange={setChosen}
        />
        <Row gap={3} sx={{ fontSize: 12.5 }}>
          {sides.map(({ id, label, color }) => (
            <Row key={id} gap={1.5}>
              <Box sx={{ width: 10, height: 10, flex: "none", borderRadius: "3px" }} style={{ background: color }} />
              {label}
            </Row>
          ))}
        </Row>
      </Row>
      {periods.length === 0 ? (
        <Box sx={{ py: 6, textAlign: "center", fontSize: 13, color: "text.secondary" }}>
          {t(data.length === 0 ? `experiments.chart.empty.${step}` : "experiments.chart.unknown")}
        </Box>
      ) : (
        <PeriodBars
          label={t("experiments.chart.label", { metric: t(`experiments.metrics.${metric}`) })}
          height={220}
          isStacked={false}
          {...{ periods, step, text }}
          series={sides}
        />
      )}
    </Col>
  );
};

type Props = Readonly<{ experiment: ExperimentView; onDelete: () => void }>;

/** One experiment: its figures side by side, and which differences are beyond noise. */
export const ExperimentPanel = ({ experiment, onDelete }: Props) => {
  const { t } = useTranslation();
  const { route, mode, model, channel_tags: tags, regions, percent, is_enabled: isEnabled } = experiment;
  const { operator_cost: cost, spent_today: spent, budget_per_day: budget, judge, verdicts } = experiment;
  const { calls, comparisons } = experiment;
  return (
    <Panel
      title={route}
      hint={t(`experiments.what.${mode}`, { model: [model, ...tags, ...regions].join(", "), percent })}
    >
      <Col gap={4}>
        <KeyValue
          width={180}
          items={[
            [t("experiments.calls"), `${formatNumber(calls.control)} / ${formatNumber(calls.trial)}`],
            ...(cost === null
              ? []
              : [[t("experiments.cost"), <Money key="cost" quota={cost} decimals={6} />] as const]),
            ...(spent === null || budget === null
              ? []
              : [
                  [
                    t("experiments.spentToday"),
                    <Row key="spent" gap={1}>
                      <Money quota={spent} decimals={6} /> / <Money quota={budget} />
                    </Row>,
                  ] as const,
                ]),
            ...(judge === null ? [] : [[t("experiments.judge"), judge] as const]),
          ]}
        />
        <FigureTable table={COMPARISON} rows={comparisons} />
        {calls.control + calls.trial === 0 ? (
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("experiments.chart.none")}</Box>
        ) : (
          <ExperimentChart route={route} />
        )}
        {verdicts && <Verdicts verdicts={verdicts} />}
        <Row gap={3} wrap>
          {!isEnabled && <StatusChip tone="idle">{t("routes.status.disabled")}</StatusChip>}
          <Button onClick={onDelete}>{t("experiments.delete")}</Button>
        </Row>
      </Col>
    </Panel>
  );
};

const Verdicts = ({ verdicts }: Readonly<{ verdicts: NonNullable<ExperimentView["verdicts"]> }>) => {
  const { t } = useTranslation();
  const { trial, control, tie, latest } = verdicts;
  const side = (verdict: number) => (verdict > 0 ? "new" : verdict < 0 ? "current" : "tie");
  return (
    <Col gap={1}>
      <Box sx={{ fontSize: 13 }}>{t("experiments.verdicts", { trial, control, tie })}</Box>
      {latest.map(({ request_id: id, created_at: at, verdict, reason }) => (
        <Row key={id} gap={3} sx={{ fontSize: 12.5, alignItems: "baseline" }}>
          <Box sx={{ color: "text.tertiary", whiteSpace: "nowrap" }}>
            <TimeAgo seconds={at} />
          </Box>
          <Box sx={{ whiteSpace: "nowrap" }}>{t(`experiments.${side(verdict)}`)}</Box>
          <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>{reason}</Box>
        </Row>
      ))}
    </Col>
  );
};
