import Box from "@mui/material/Box";
import { BarChart } from "@mui/x-charts/BarChart";
import { type ReactNode, type RefObject, startTransition, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../lib/format/time.ts";
import { type PeriodStep, STEP_SECONDS } from "./period-steps.ts";

const MOST_LABELS = { hour: 8, day: 15, week: 13 } as const;
const FEW_LABELS = { hour: 3, day: 5, week: 5 } as const;

/** Which periods have a label: as many as fit, evenly. Hours of several days are labelled at midnight. */
function labelledOf(periods: readonly number[], step: PeriodStep, most: number) {
  const days = (periods.length * STEP_SECONDS[step]) / STEP_SECONDS.day;
  if (step !== "hour" || days <= 2) {
    const every = Math.ceil(periods.length / most);
    return (_: number, index: number) => index % every === 0;
  }
  const every = Math.ceil(days / most);
  return (start: number) =>
    new Date(start * 1000).getHours() === 0 && Math.round(start / STEP_SECONDS.day) % every === 0;
}

const periodText = (start: number, step: PeriodStep, language: string): string =>
  formatDate(start * 1000, language, {
    month: "numeric",
    day: "numeric",
    ...(step === "hour" && { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  });

/** One row of bars: a value for each period, null where nothing is known. */
export type BarSeries = Readonly<{ id: string; label: string; color: string; data: readonly (number | null)[] }>;

type PeriodBarsProps = Readonly<{
  /** What the chart shows, for screen readers. */
  label: string;
  /** When each period starts, in epoch seconds. */
  periods: readonly number[];
  step: PeriodStep;
  series: readonly BarSeries[];
  /** Stacked, or next to each other. */
  isStacked: boolean;
  height: number;
  text: (value: number) => string;
  /** Lines that mark periods. */
  children?: ReactNode;
}>;

/** A chart narrower than this has room for few labels. */
const NARROW_PX = 600;

/** Bars per period, over time. */
export const PeriodBars = ({ label, periods, step, series, isStacked, height, text, children }: PeriodBarsProps) => {
  const { i18n } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return (
    <Box role="img" aria-label={label} ref={box} sx={{ minWidth: 0, minHeight: height, overflow: "hidden" }}>
      {width !== undefined && (
        <BarChart
          width={width}
          height={height}
          hideLegend
          skipAnimation
          // A week by hours has two thousand bars: an element for each would take a third of a second.
          renderer="svg-batch"
          margin={{ left: 0, right: 36, top: 12, bottom: 0 }}
          grid={{ horizontal: true }}
          xAxis={[
            {
              scaleType: "band",
              disableTicks: true,
              data: [...periods],
              tickLabelInterval: labelledOf(periods, step, (width < NARROW_PX ? FEW_LABELS : MOST_LABELS)[step]),
              valueFormatter: (start: number) => periodText(start, step, i18n.language),
            },
          ]}
          yAxis={[{ width: 64, valueFormatter: text }]}
          series={series.map(({ data, ...one }) => ({
            ...one,
            ...(isStacked && { stack: "all" }),
            data: [...data],
            valueFormatter: (value: number | null) => (value ? text(value) : null),
          }))}
        >
          {children}
        </BarChart>
      )}
    </Box>
  );
};

/** An element's width in pixels. The chart would measure it itself, but then draws in one long task. */
function useWidth(element: RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => startTransition(() => setWidth(entry?.contentRect.width)));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
