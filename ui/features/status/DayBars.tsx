import Box from "@mui/material/Box";
import type { SxProps, Theme } from "@mui/material/styles";
import { useTranslation } from "react-i18next";
import { percent } from "./model-status.ts";

const BAR = 3;
const STEP = 4;
const HEIGHT = 22;
const DAY_MS = 86_400_000;
const GOOD = 9900;
const FAIR = 9000;

/** A bar a day: green, amber, red by the share of calls that went well, grey without calls. */
export const DayBars = ({ days, count, label }: { days: readonly (number | null)[]; count: number; label: string }) => {
  const { i18n } = useTranslation();
  const shown = days.length === 0 ? Array.from({ length: count }, () => null) : days;
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeZone: "UTC" });
  const dayAt = (index: number) => date.format(Date.now() - (shown.length - 1 - index) * DAY_MS);
  return (
    <Box
      component="svg"
      viewBox={`0 0 ${shown.length * STEP - 1} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
      sx={{ width: "100%", maxWidth: shown.length * STEP, height: HEIGHT, display: "block" }}
    >
      {shown.map((share, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
        <Box key={index} component="rect" x={index * STEP} width={BAR} height={HEIGHT} rx={1} sx={fillOf(share)}>
          <title>{share === null ? dayAt(index) : `${dayAt(index)}: ${percent(share, i18n.language)}`}</title>
        </Box>
      ))}
    </Box>
  );
};

function fillOf(share: number | null): SxProps<Theme> {
  const tone = share === null ? "idle" : share >= GOOD ? "ok" : share >= FAIR ? "warn" : "bad";
  return { fill: (theme) => (theme.vars ?? theme).palette.tone[tone].solid, opacity: share === null ? 0.3 : 1 };
}
