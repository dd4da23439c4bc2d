import Box from "@mui/material/Box";
import { useTheme } from "@mui/material/styles";
import { ChartsReferenceLine } from "@mui/x-charts/ChartsReferenceLine";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Series, SeriesStep } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { PeriodBars } from "../../../components/charts/PeriodBars.tsx";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { Row } from "../../../components/layout.tsx";
import { compactCount } from "../overview/Overview.tsx";
import { type ChartMark, markedPeriods } from "./marks.tsx";
import { type Measure, periodsOf, valuesOf } from "./series-values.ts";

const COLORS = ["s1", "s2", "s3", "s4", "s5", "s6"] as const;

type ChartProps = Readonly<{
  series: readonly Series[];
  step: SeriesStep;
  /** The shown range, in epoch seconds. */
  range: Readonly<{ start: number; end: number }>;
  measure: Measure;
  nameOf: (one: Series) => string;
  marks: readonly ChartMark[];
}>;

type UsageChartProps = Omit<ChartProps, "series"> &
  Readonly<{
    /** Undefined while it is loading. */
    series: readonly Series[] | undefined;
    placeholder: ReactNode;
  }>;

/** The usage chart; being rendered before its series are there, it is loaded meanwhile. */
export const UsageChart = ({ series, placeholder, ...view }: UsageChartProps) =>
  series ? <Chart series={series} {...view} /> : placeholder;

/** If no value reaches a dollar, two decimals would all look alike. */
const SMALL_DECIMALS = 4;

/** Bars per period, stacked by series; a click on a name toggles its series. */
const Chart = ({ series, step, range, measure, nameOf, marks }: ChartProps) => {
  const { t } = useTranslation();
  const { vars, palette } = useTheme();
  const colors = (vars ?? { palette }).palette.series;
  const money = useMoneyFormat();
  const [hidden, setHidden] = useState<ReadonlySet<string | null>>(new Set());
  const periods = periodsOf(series, step, range);
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
      <PeriodBars
        label={t("usage.chartLabel")}
        height={280}
        isStacked
        {...{ periods, step, text }}
        series={series.flatMap((one, index) =>
          hidden.has(one.key)
            ? []
            : [
                {
                  id: one.key ?? "others",
                  label: nameOf(one),
                  color: colorOf(one, index),
                  data: valuesOf(one, periods, measure),
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
      </PeriodBars>
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
