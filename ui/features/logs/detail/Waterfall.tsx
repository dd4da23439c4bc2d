import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { Attempt } from "../../../../src/billing/types.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";

/** The attempts at upstreams on one time axis: waiting for the first byte, then streaming. */
export const Waterfall = ({ attempts }: { attempts: readonly Attempt[] }) => {
  const { t } = useTranslation();
  const total = Math.max(...attempts.map(({ endMs }) => endMs), 1);
  const last = attempts.at(-1);
  const legend: [string, string][] = [];
  if (last?.firstByteMs != null) {
    legend.push([
      "series.s2",
      t("components.waterfall.firstByte", { time: formatDuration(last.firstByteMs - last.startMs) }),
    ]);
    legend.push([
      "series.s1",
      t("components.waterfall.stream", { time: formatDuration(last.endMs - last.firstByteMs) }),
    ]);
  }
  if (attempts.some(isFailed)) legend.push(["tone.bad.solid", t("components.waterfall.failed")]);
  return (
    <Box sx={{ fontSize: 12.5 }}>
      {attempts.map((attempt, index) => (
        <Row key={`${attempt.channelId}-${attempt.startMs}`} gap={2.5} sx={{ height: 28 }}>
          <Box
            sx={{ width: 124, flex: "none", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
            title={attempt.channelName}
          >
            <Box component="span" sx={{ color: "text.tertiary", mr: 1.5 }}>
              {index + 1}
            </Box>
            {attempt.channelName || `#${attempt.channelId}`}
          </Box>
          <AttemptChip attempt={attempt} />
          <Box
            sx={{
              flex: 1,
              minWidth: 40,
              height: 28,
              position: "relative",
              borderRight: "1px solid",
              borderColor: "line.main",
              backgroundImage: (theme) =>
                `repeating-linear-gradient(90deg, ${(theme.vars ?? theme).palette.line.main} 0 1px, transparent 1px 25%)`,
            }}
          >
            {segmentsOf(attempt).map(({ from, to, color }) => (
              <Box
                key={color}
                sx={{
                  position: "absolute",
                  top: 9,
                  height: 10,
                  left: `${(from / total) * 100}%`,
                  width: `${((to - from) / total) * 100}%`,
                  minWidth: 2,
                  bgcolor: color,
                  borderRadius: "2px",
                }}
              />
            ))}
          </Box>
          <Box className="num" sx={{ width: 52, textAlign: "right", flex: "none" }}>
            {formatDuration(attempt.endMs - attempt.startMs)}
          </Box>
        </Row>
      ))}
      <Row gap={3.5} wrap sx={{ mt: 1.5, fontSize: 11.5, lineHeight: "16px", color: "text.tertiary", rowGap: 1 }}>
        {legend.map(([color, text]) => (
          <Row key={text} gap={1.5}>
            <Box sx={{ width: 8, height: 8, borderRadius: "2px", bgcolor: color }} />
            {text}
          </Row>
        ))}
      </Row>
    </Box>
  );
};

/** The attempt's status; of a hedge that lost, what it cost the operator. */
const AttemptChip = ({ attempt }: { attempt: Attempt }) => {
  const { t } = useTranslation();
  if (!attempt.isCancelled) {
    return (
      <StatusChip tone={isFailed(attempt) ? "bad" : "ok"} dot={false} reason={attempt.error}>
        {attempt.status || t("components.waterfall.noAnswer")}
      </StatusChip>
    );
  }
  const cost = (
    <>
      {t("components.waterfall.cancelledWhy")} <Money quota={attempt.cost ?? 0} decimals={6} />
    </>
  );
  return (
    <StatusChip tone="idle" dot={false} reason={cost}>
      {t("components.waterfall.cancelled")}
    </StatusChip>
  );
};

const isFailed = (attempt: Attempt): boolean => !attempt.isCancelled && isUnanswered(attempt);

const isUnanswered = (attempt: Attempt): boolean =>
  attempt.error !== undefined || attempt.status >= 400 || attempt.status === 0;

type Segment = { from: number; to: number; color: string };

function segmentsOf(attempt: Attempt): Segment[] {
  const { startMs, firstByteMs, endMs } = attempt;
  if (isFailed(attempt)) return [{ from: startMs, to: endMs, color: "tone.bad.solid" }];
  if (firstByteMs === null) return [{ from: startMs, to: endMs, color: "series.s2" }];
  return [
    { from: startMs, to: firstByteMs, color: "series.s2" },
    { from: firstByteMs, to: endMs, color: "series.s1" },
  ];
}
