import Box from "@mui/material/Box";
import { useTheme } from "@mui/material/styles";
import { BarChart } from "@mui/x-charts/BarChart";
import { ChartsReferenceLine } from "@mui/x-charts/ChartsReferenceLine";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Series, SeriesStep } from "../../../src/domain/logs/usage/series/read-series.ts";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { Row, usePhone } from "../../components/layout.tsx";
import { formatDate } from "../../lib/format/time.ts";
import { compactCount } from "../logs/overview/Overview.tsx";
import { type ChartMark, markedPeriods } from "./marks/chart-marks.ts";
import { type Measure, periodsOf, STEP_SECONDS, valuesOf } from "./series-values.ts";

const COLORS = ["s1", "s2", "s3", "s4", "s5", "s6"] as const;

type UsageChartProps = Readonly<{
  series: readonly Series[];
  step: SeriesStep;
  /** The shown range, in epoch seconds. */
  range: Readonly<{ start: number; end: number }>;
  measure: Measure;
  nameOf: (one: Series) => string;
  marks: readonly ChartMark[];
}>;

const MOST_LABELS = { hour: 8, day: 15, week: 13 } as const;
const FEW_LABELS = { hour: 3, day: 5, week: 5 } as const;

/** Which periods have a label: as many as fit, evenly. Hours of several days are labelled at midnight. */
function labelledOf(periods: readonly number[], step: SeriesStep, most: number) {
  const days = (periods.length * STEP_SECONDS[step]) / STEP_SECONDS.day;
  if (step !== "hour" || days <= 2) {
    const every = Math.ceil(periods.length / most);
    return (_: number, index: number) => index % every === 0;
  }
  const every = Math.ceil(days / most);
  return (start: number) =>
    new Date(start * 1000).getHours() === 0 && Math.round(start / STEP_SECONDS.day) % every === 0;
}

/** If no value reaches a dollar, two decimals would all look alike. */
const SMALL_DECIMALS = 4;

/** Bars per period, stacked by series; a click on a name toggles its series. */
export const UsageChart = ({ series, step, range, measure, nameOf, marks }: UsageChartProps) => {
  const { t, i18n } = useTranslation();
  const isPhone = usePhone();
  const { vars, palette } = useTheme();
  const colors = (vars ?? { palette }).palette.series;
  const money = useMoneyFormat();
  const [hidden, setHidden] = useState<ReadonlySet<string | null>>(new Set());
  const periods = periodsOf(series, STEP_SECONDS[step], range);
  const peak = Math.max(0, ...series.flatMap(({ points }) => points.map(({ quota }) => quota)));
  const decimals = peak < money.quotaPerUnit ? SMALL_DECIMALS : 2;
  const text = (value: number) => (measure === "quota" ? amountText(value, money, decimals) : compactCount(value));
  const colorOf = (one: Series, index: number) => {
    const name = COLORS[index % COLORS.length];
    if (one.key === null || !name) return colors.s7;
    // A second round of the same colors is paler, so that no two series look alike.
    return index < COLORS.length ? colors[name] : `color-mix(in srgb, ${colors[name]} 50%, transparent)`;
  };
  const toggle = (key: string | null) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  return (
    <>
      <Box role="img" aria-label={t("dashboard.chartLabel")} sx={{ minWidth: 0 }}>
        <BarChart
          height={280}
          hideLegend
          skipAnimation
          margin={{ left: 0, right: 36, top: 12, bottom: 0 }}
          grid={{ horizontal: true }}
          xAxis={[
            {
              scaleType: "band",
              disableTicks: true,
              data: periods,
              tickLabelInterval: labelledOf(periods, step, (isPhone ? FEW_LABELS : MOST_LABELS)[step]),
              valueFormatter: (start: number) => periodText(start, step, i18n.language),
            },
          ]}
          yAxis={[{ width: 64, valueFormatter: text }]}
          series={series.flatMap((one, index) =>
            hidden.has(one.key)
              ? []
              : [
                  {
                    id: one.key ?? "others",
                    label: nameOf(one),
                    stack: "all",
                    color: colorOf(one, index),
                    data: valuesOf(one, periods, measure),
                    valueFormatter: (value: number | null) => (value ? text(value) : null),
                  },
                ],
          )}
        >
          {markedPeriods(marks, periods).map((start) => (
            <ChartsReferenceLine
              key={start}
              x={start}
              lineStyle={{ strokeDasharray: "3 3", stroke: (vars ?? { palette }).palette.text.secondary }}
            />
          ))}
        </BarChart>
      </Box>
      <Row wrap gap={1} sx={{ mt: 2 }}>
        {series.map((one, index) => (
          <Box
            key={one.key ?? "others"}
            component="button"
            type="button"
            aria-pressed={!hidden.has(one.key)}
            onClick={() => toggle(one.key)}
            sx={{
              display: "inline-flex",
              alignItems: "center",
              gap: 1.5,
              px: 2,
              py: 1,
              border: 0,
              borderRadius: 1,
              bgcolor: "transparent",
              color: hidden.has(one.key) ? "text.secondary" : "text.primary",
              textDecoration: hidden.has(one.key) ? "line-through" : "none",
              font: "inherit",
              fontSize: 12.5,
              cursor: "pointer",
              maxWidth: "100%",
              overflowWrap: "anywhere",
              textAlign: "left",
              "&:hover": { bgcolor: "surface.hover" },
            }}
          >
            <Box
              component="span"
              sx={{ width: 10, height: 10, flex: "none", borderRadius: "3px" }}
              style={{ background: colorOf(one, index) }}
            />
            {nameOf(one)}
          </Box>
        ))}
      </Row>
    </>
  );
};

const periodText = (start: number, step: SeriesStep, language: string): string =>
  formatDate(start * 1000, language, {
    month: "numeric",
    day: "numeric",
    ...(step === "hour" && { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  });
