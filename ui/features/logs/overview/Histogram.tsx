import Box from "@mui/material/Box";
import { type PointerEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format/number.ts";
import { formatDate } from "../../../lib/format/time.ts";

type HistogramBucket = Readonly<{ start: number; count: number; failed: number }>;

type Props = {
  buckets: readonly HistogramBucket[];
  /** Seconds a bucket spans. */
  step: number;
  /** Called with the dragged range, in epoch seconds. */
  onRange: (start: number, end: number) => void;
  height?: number;
};

/** Calls over time, failures in red; dragging selects a range. */
export const Histogram = ({ buckets, step, onRange, height = 56 }: Props) => {
  const { t, i18n } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const most = Math.max(...buckets.map(({ count }) => count), 1);
  const calls = buckets.reduce((sum, { count }) => sum + count, 0);
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0);
  const indexAt = (event: PointerEvent) => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    return Math.min(Math.max(Math.floor(((event.clientX - left) / width) * buckets.length), 0), buckets.length - 1);
  };
  const chosen = drag && { first: Math.min(drag.from, drag.to), last: Math.max(drag.from, drag.to) };
  const finish = () => {
    const first = chosen && buckets[chosen.first];
    const last = chosen && buckets[chosen.last];
    setDrag(null);
    if (chosen && chosen.first !== chosen.last && first && last) onRange(first.start, last.start + step - 1);
  };
  return (
    <Box>
      <Box
        ref={box}
        role="img"
        aria-label={t("components.histogram.label", {
          calls: formatNumber(calls),
          failed: formatNumber(failed),
        })}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: indexAt(event), to: indexAt(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event) })}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
        sx={{
          height,
          display: "grid",
          gridTemplateColumns: `repeat(${Math.max(buckets.length, 1)}, minmax(0, 1fr))`,
          alignItems: "end",
          columnGap: buckets.length > 100 ? 0 : "2px",
          borderBottom: "1px solid",
          borderColor: "line.strong",
          cursor: "crosshair",
          touchAction: "none",
          userSelect: "none",
          "& > div": { height: "100%", display: "flex", flexDirection: "column", justifyContent: "flex-end" },
          "& > .chosen": { bgcolor: "accentTint" },
          "& > div > :first-of-type": { bgcolor: "tone.idle.solid", borderRadius: "1.5px 1.5px 0 0" },
          "& > div > .failed": { minHeight: 2, bgcolor: "tone.bad.solid" },
        }}
      >
        {buckets.map(({ start, count, failed: bad }, index) => {
          const isChosen = chosen !== null && index >= chosen.first && index <= chosen.last;
          return (
            <div
              key={start}
              title={`${timeOf(start, step, i18n.language)}: ${formatNumber(count)}`}
              className={isChosen ? "chosen" : ""}
            >
              <div style={{ height: `${((count - bad) / most) * 92}%` }} />
              {bad > 0 && <div className="failed" style={{ height: `${(bad / most) * 92}%` }} />}
            </div>
          );
        })}
      </Box>
      <Box
        className="num"
        sx={{
          mt: 1,
          display: "flex",
          justifyContent: "space-between",
          whiteSpace: "nowrap",
          "& > :nth-of-type(even)": { display: { xs: "none", sm: "inline" } },
          fontSize: 11,
          lineHeight: "16px",
          color: "text.tertiary",
        }}
      >
        {marksOf(buckets).map(({ start }) => (
          <span key={start}>{timeOf(start, step, i18n.language)}</span>
        ))}
      </Box>
    </Box>
  );
};

const MARKS = 5;
const DAY_S = 86_400;

function marksOf(buckets: readonly HistogramBucket[]): HistogramBucket[] {
  if (buckets.length <= MARKS) return [...buckets];
  return Array.from(
    { length: MARKS },
    (_, mark) => buckets[Math.round((mark / (MARKS - 1)) * (buckets.length - 1))],
  ).filter((bucket) => bucket !== undefined);
}

/** Hours and minutes for short buckets, with the day for long ones. */
function timeOf(seconds: number, step: number, language: string): string {
  const format: Intl.DateTimeFormatOptions =
    step >= DAY_S
      ? { month: "numeric", day: "numeric" }
      : step >= 3600
        ? { month: "numeric", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
        : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return formatDate(seconds * 1000, language, format);
}
