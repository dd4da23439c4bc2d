import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { LiveView } from "../../../../src/domain/channels/manage/channel-view.ts";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatFixed } from "../../../lib/format/number.ts";
import type { Channel } from "../channel.ts";

/** A day as 24 bars: the height is traffic, the red base is failures. */
export const HourBars = ({
  hours,
  label,
  height = 20,
}: {
  hours: readonly { count: number; failed: number }[];
  label: string;
  height?: number;
}) => {
  const most = Math.max(...hours.map(({ count }) => count), 1);
  const width = hours.length * 3 - 1;
  return (
    <Box
      component="svg"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      sx={(theme) => {
        const { tone } = (theme.vars ?? theme).palette;
        return {
          width,
          height,
          display: "block",
          flex: "none",
          fill: tone.idle.solid,
          "& .failed": { fill: tone.bad.solid },
        };
      }}
    >
      {hours.map(({ count, failed }, index) => {
        const bar = Math.max(1, Math.round((count / most) * height));
        const foot = failed ? Math.max(2, Math.round((failed / most) * height)) : 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place
          <g key={index}>
            <rect x={index * 3} y={height - bar} width={2} height={bar} opacity={count ? 0.62 : 0.35} />
            {foot > 0 && <rect className="failed" x={index * 3} y={height - foot} width={2} height={foot} />}
          </g>
        );
      })}
    </Box>
  );
};

const GOOD = 99;
const FAIR = 95;
const IDLE_DAY = Array.from({ length: 24 }, () => ({ count: 0, failed: 0 }));

/** The last 24 hours: traffic as bars, and the success rate. */
export const SuccessCell = ({ traffic }: Pick<Channel, "traffic">) => {
  const { t } = useTranslation();
  const { count, failed, success } = sumTraffic(traffic ?? IDLE_DAY);
  const label = success === null ? t("channels.noCalls") : t("channels.callsFailed", { count, failed });
  return (
    <Tip title={label}>
      <span>
        <Row gap={2}>
          <HourBars hours={traffic ?? IDLE_DAY} label={label} />
          <Box
            className="num"
            sx={{
              fontSize: 12.5,
              width: 52,
              textAlign: "right",
              color: colorOf(success),
              fontWeight: success !== null && success < GOOD ? 600 : 450,
            }}
          >
            {success === null ? "–" : successText(success)}
          </Box>
        </Row>
      </span>
    </Tip>
  );
};

function colorOf(success: number | null): string {
  if (success === null) return "text.tertiary";
  if (success < FAIR) return "tone.bad.text";
  return success < GOOD ? "tone.warn.text" : "text.primary";
}

/** The last hour: traffic in bars of five minutes, success rate and latency. */
export const HourCell = ({ live }: { live: LiveView | undefined }) => {
  const { t } = useTranslation();
  if (!live) return null;
  const { calls, failed, latency_ms: latency, in_flight: inFlight, slots } = live;
  const label =
    calls === 0
      ? t("channels.health.quiet", { inFlight })
      : t("channels.health.hour", { count: calls, failed, inFlight });
  return (
    <Tip title={label}>
      <span>
        <Row gap={2}>
          <HourBars hours={slots} label={label} />
          <Box className="num" sx={{ fontSize: 12.5, color: calls ? "text.primary" : "text.tertiary" }}>
            {calls === 0 ? "–" : [successText(((calls - failed) / calls) * 100), formatDuration(latency)].join(" · ")}
          </Box>
        </Row>
      </span>
    </Tip>
  );
};

type Hour = Readonly<{ count: number; failed: number }>;

/** Calls, failures and success rate (percent; null without calls) of some hours. */
function sumTraffic(hours: readonly Hour[]): { count: number; failed: number; success: number | null } {
  const count = hours.reduce((sum, hour) => sum + hour.count, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  return { count, failed, success: count === 0 ? null : ((count - failed) / count) * 100 };
}

/** A success rate as text; never rounded up to 100 if a call failed. */
export function successText(success: number): string {
  if (success >= 99.995) return "100%";
  const decimals = success < 90 ? 1 : 2;
  const scale = 10 ** decimals;
  return `${formatFixed(Math.floor(success * scale) / scale, decimals)}%`;
}
