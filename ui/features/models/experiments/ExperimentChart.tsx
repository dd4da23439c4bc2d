import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useTheme } from "@mui/material/styles";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Choice } from "../../../components/charts/Choice.tsx";
import { PeriodBars } from "../../../components/charts/PeriodBars.tsx";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatShare } from "../../../lib/format/number.ts";
import { experimentSeries } from "./experiment-calls.ts";
import { barsOf, CHART_METRICS, type ChartMetric, type ChartStep, stepOf } from "./experiment-periods.ts";

const STEPS = ["hour", "day"] as const;
const COST_DECIMALS = 6;

/** Both sides of an experiment over time: response time, first token, cost or errors, by hour or day. */
export const ExperimentChart = ({ route }: Readonly<{ route: string }>) => {
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
