import Box from "@mui/material/Box";
import MuiLink from "@mui/material/Link";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../../lib/format/time.ts";
import type { ChartMark } from "./chart-marks.ts";

const MOST = 8;

/** What happened in the period, below the chart: each leads to where it is recorded. */
export const MarkList = ({ marks }: { marks: readonly ChartMark[] }) => {
  const { t, i18n } = useTranslation();
  if (marks.length === 0) return null;
  const time = (at: number) =>
    formatDate(at * 1000, i18n.language, {
      month: "numeric",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  return (
    <Box sx={{ mt: 3, pt: 3, borderTop: "1px solid", borderColor: "line.faint", fontSize: 12.5 }}>
      <Box component="h3" sx={{ m: 0, mb: 1.5, fontSize: 12.5, fontWeight: 600 }}>
        {t("dashboard.marks.title")}
      </Box>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
        {marks.slice(0, MOST).map(({ at, text, to }) => (
          <Box component="li" key={`${at} ${text}`} sx={{ display: "flex", gap: 3, py: 0.5 }}>
            <Box component="time" className="num" sx={{ flex: "none", minWidth: 84, color: "text.tertiary" }}>
              {time(at)}
            </Box>
            <MuiLink component={Link} to={to} color="inherit" underline="hover" sx={{ overflowWrap: "anywhere" }}>
              {text}
            </MuiLink>
          </Box>
        ))}
      </Box>
      {marks.length > MOST && (
        <Box sx={{ mt: 1, color: "text.tertiary" }}>{t("dashboard.marks.more", { count: marks.length - MOST })}</Box>
      )}
    </Box>
  );
};
