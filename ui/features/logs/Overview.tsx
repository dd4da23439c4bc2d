import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Histogram } from "../../components/Histogram.tsx";
import { Panel, Row } from "../../components/layout.tsx";
import { type LogFilters, type LogScope, logHistogram, logStat } from "./log-queries.ts";
import { RangePicker } from "./RangePicker.tsx";
import { Summary } from "./Summary.tsx";
import type { RangeName, TimeRange } from "./time-range.ts";

type OverviewProps = Readonly<{
  scope: LogScope;
  filters: LogFilters;
  range: TimeRange;
  /** Epoch seconds. */
  now: number;
  onNamed: (name: RangeName) => void;
  onCustom: (start: number, end: number) => void;
}>;

const RANGES = ["15m", "1h", "24h", "7d", "30d"] as const;

/** Sums, the range they are of, and traffic over that range (unless any time will do), on which a narrower one can be dragged. */
export const Overview = ({ scope, filters, range, now, onNamed, onCustom }: OverviewProps) => {
  const stat = useQuery(logStat(scope, filters));
  // An open range reaches into the future, of which there is nothing to draw.
  const histogram = useQuery({
    ...logHistogram(scope, { ...filters, end: Math.min(filters.end, Math.max(now, filters.start + 60)) }),
    enabled: !filters.anyTime,
  });
  return (
    <Panel pad={false} sx={{ mb: 3 }}>
      <Row wrap sx={{ px: { xs: 3, sm: 4 }, py: 2.5, rowGap: 3, borderBottom: "1px solid", borderColor: "line.faint" }}>
        <Box sx={{ flex: "1 1 auto", minWidth: 0 }}>
          <Summary stat={stat.data} />
        </Box>
        <RangePicker range={range} names={RANGES} isAnyTime={filters.anyTime} onNamed={onNamed} onCustom={onCustom} />
      </Row>
      {!filters.anyTime && (
        <Box sx={{ px: { xs: 3, sm: 4 }, pt: 2.5, pb: 1.5, minHeight: 92 }}>
          {histogram.data ? (
            <Histogram buckets={histogram.data.buckets} step={histogram.data.step} onRange={onCustom} />
          ) : (
            <Skeleton variant="rounded" height={56} />
          )}
        </Box>
      )}
    </Panel>
  );
};
