import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago a moment (epoch seconds) was, in words; the exact time with its zone on hover. */
export const TimeAgo = ({ seconds }: { seconds: number }) => {
  const { i18n } = useTranslation();
  return (
    <Tooltip title={exactTime(seconds, i18n.language)}>
      <Box component="time" dateTime={new Date(seconds * 1000).toISOString()} sx={{ whiteSpace: "nowrap" }}>
        {relativeTime(seconds, Date.now() / 1000, i18n.language)}
      </Box>
    </Tooltip>
  );
};

/** "5 minutes ago", "in 2 days", "now". */
export function relativeTime(seconds: number, now: number, language: string): string {
  const distance = seconds - now;
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  for (const [unit, size] of UNITS)
    if (Math.abs(distance) >= size) return words.format(Math.trunc(distance / size), unit);
  return words.format(0, "second");
}

/** The full local date and time with its zone. */
export const exactTime = (seconds: number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long" }).format(seconds * 1000);
