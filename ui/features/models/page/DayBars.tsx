import Box from "@mui/material/Box";
import type { SxProps, Theme } from "@mui/material/styles";
import { useTranslation } from "react-i18next";
import { formatFixed } from "../../../lib/format/number.ts";
import { formatDate } from "../../../lib/format/time.ts";

const BAR = 3;
const STEP = 4;
const HEIGHT = 22;
/** Wider bars are no easier to read. */
const MOST_STRETCH = 1.5;
const DAY_MS = 86_400_000;
const GOOD = 9900;
const FAIR = 9000;

/** One bar per day: green, amber or red by success rate, gray without calls. */
export const DayBars = ({ days, count, label }: { days: readonly (number | null)[]; count: number; label: string }) => {
  const { i18n } = useTranslation();
  const shown = days.length === 0 ? Array.from({ length: count }, () => null) : days;
  const dayAt = (index: number) =>
    formatDate(Date.now() - (shown.length - 1 - index) * DAY_MS, i18n.language, {
      dateStyle: "medium",
      timeZone: "UTC",
    });
  return (
    <Box
      component="svg"
      viewBox={`0 0 ${shown.length * STEP - 1} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
      sx={{ width: "100%", maxWidth: shown.length * STEP * MOST_STRETCH, height: HEIGHT, display: "block" }}
    >
      {shown.map((share, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
        <Box key={index} component="rect" x={index * STEP} width={BAR} height={HEIGHT} rx={1} sx={fillOf(share)}>
          <title>{share === null ? dayAt(index) : `${dayAt(index)}: ${percent(share)}`}</title>
        </Box>
      ))}
    </Box>
  );
};

function fillOf(share: number | null): SxProps<Theme> {
  const tone = share === null ? "idle" : share >= GOOD ? "ok" : share >= FAIR ? "warn" : "bad";
  return { fill: (theme) => (theme.vars ?? theme).palette.tone[tone].solid, opacity: share === null ? 0.3 : 1 };
}

/** "99.90%" of a share in ten-thousandths: as many decimals in each row. */
const percent = (share: number): string => `${formatFixed(share / 100, 2)}%`;

/** A share in ten-thousandths as text; a dash where there is none. */
export const shareOrDash = (share: number | null): string => (share === null ? "–" : percent(share));
