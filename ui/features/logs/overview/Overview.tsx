import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UsageStat } from "../../../../src/domain/logs/usage/usage-sums.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { Panel, Row, usePhone } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatFixed, formatNumber } from "../../../lib/format/number.ts";
import { type LogFilters, type LogScope, logHistogram, logStat } from "../entries/log-queries.ts";
import type { RangeName, TimeRange } from "../time-range.ts";
import { Histogram } from "./Histogram.tsx";
import { RangePicker } from "./RangePicker.tsx";

type OverviewProps = Readonly<{
  scope: LogScope;
  /** Totals and the histogram; else there is only the range. */
  hasFigures: boolean;
  filters: LogFilters;
  range: TimeRange;
  /** Epoch seconds. */
  now: number;
  onNamed: (name: RangeName) => void;
  onCustom: (start: number, end: number) => void;
}>;

const RANGES = ["15m", "1h", "24h", "7d", "30d"] as const;

/**
 * Totals, the time range, and a histogram of the range on which a narrower one can be dragged; no histogram if any time
 * matches. On a phone, three totals until the others and the histogram are unfolded.
 */
export const Overview = ({ scope, hasFigures, filters, range, now, onNamed, onCustom }: OverviewProps) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [isUnfolded, setUnfolded] = useState(false);
  const isFolded = isPhone && !isUnfolded;
  const hasHistogram = hasFigures && !filters.anyTime && !isFolded;
  const stat = useQuery({ ...logStat(scope, filters), enabled: hasFigures });
  // An open range reaches into the future, which has no data.
  const histogram = useQuery({
    ...logHistogram(scope, { ...filters, end: Math.min(filters.end, Math.max(now, filters.start + 60)) }),
    enabled: hasHistogram,
  });
  return (
    <Panel pad={false} sx={{ mb: 3 }}>
      <Row
        wrap
        sx={{
          ...{ px: { xs: 3, sm: 4 }, py: 2.5, rowGap: 3 },
          ...(hasHistogram && { borderBottom: "1px solid", borderColor: "line.faint" }),
        }}
      >
        <Row gap={2} sx={{ flex: "1 1 auto", minWidth: 0, alignItems: "flex-start" }}>
          <Box sx={{ flex: 1, minWidth: 0 }}>
            {hasFigures && <Summary stat={stat.data} hasFailed={stat.isError} isFolded={isFolded} />}
          </Box>
          {isPhone && hasFigures && (
            <IconButton
              size="small"
              aria-expanded={isUnfolded}
              aria-label={t("logs.summary.more")}
              onClick={() => setUnfolded(!isUnfolded)}
            >
              <ExpandMore sx={{ fontSize: 20, transform: isUnfolded ? "rotate(180deg)" : "none" }} />
            </IconButton>
          )}
        </Row>
        <RangePicker range={range} names={RANGES} isAnyTime={filters.anyTime} onNamed={onNamed} onCustom={onCustom} />
      </Row>
      {hasHistogram && (
        <Box sx={{ px: { xs: 3, sm: 4 }, pt: 2.5, pb: 1.5, minHeight: 92 }}>
          {histogram.data ? (
            <Histogram buckets={histogram.data.buckets} step={histogram.data.step} onRange={onCustom} />
          ) : histogram.isError ? (
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t("components.error.title")}</Box>
          ) : (
            <Skeleton variant="rounded" height={56} />
          )}
        </Box>
      )}
    </Panel>
  );
};

/** What stays in sight on a phone. */
const IN_FOLDED: ReadonlySet<string> = new Set(["quota", "tokens", "failed"]);

type SummaryProps = Readonly<{ stat: UsageStat | undefined; hasFailed: boolean; isFolded: boolean }>;

/** The totals of the range, and the rate of the last minute; dashes where they could not be loaded. */
const Summary = ({ stat, hasFailed, isFolded }: SummaryProps) => {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  const failed = stat && stat.count > 0 ? `${formatFixed((stat.failed / stat.count) * 100, 1)}%` : "–";
  const chips = [
    ["quota", stat && amountText(stat.quota, money, 6), ""],
    [
      "tokens",
      stat && compactCount(stat.prompt_tokens + stat.completion_tokens),
      exact(stat && stat.prompt_tokens + stat.completion_tokens),
    ],
    ["input", stat && compactCount(stat.prompt_tokens), exact(stat?.prompt_tokens)],
    ["output", stat && compactCount(stat.completion_tokens), exact(stat?.completion_tokens)],
    ["rpm", stat && compactCount(stat.rpm), t("logs.summary.rpmHint")],
    ["tpm", stat && compactCount(stat.tpm), t("logs.summary.tpmHint")],
    ["failed", stat && failed, stat ? `${exact(stat.failed)} / ${exact(stat.count)}` : ""],
  ] as const;
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: "grid",
        gridTemplateColumns: { xs: "repeat(4, auto)", sm: "repeat(7, auto)" },
        justifyContent: { xs: "space-between", sm: "start" },
        rowGap: 2,
      }}
    >
      {chips
        .filter(([name]) => !isFolded || IN_FOLDED.has(name))
        .map(([name, value, hint]) => (
          <Tip key={name} title={hint}>
            <Box
              sx={{
                px: { xs: 0, sm: 4 },
                "&:first-of-type": { pl: 0 },
                "& + &": { borderLeft: { sm: "1px solid" }, borderColor: { sm: "line.main" } },
              }}
            >
              <Box component="dt" sx={{ fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
                {t(`logs.summary.${name}`)}
              </Box>
              <Box
                component="dd"
                className="num"
                sx={{ m: 0, fontWeight: 600, fontSize: 14, lineHeight: "20px", whiteSpace: "nowrap" }}
              >
                {value ?? (hasFailed ? "–" : <Skeleton variant="rounded" width={56} height={14} sx={{ my: "3px" }} />)}
              </Box>
            </Box>
          </Tip>
        ))}
    </Box>
  );
};

const exact = (count: number | undefined): string => (count === undefined ? "" : formatNumber(count));

const STEPS = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** A count short enough for a summary: 9,820,000 → "9.82 M", 163,700 → "163.7 k"; below 10,000 exact. */
export function compactCount(count: number): string {
  if (count < 10_000) return formatNumber(count);
  for (const [size, unit] of STEPS) {
    if (count < size) continue;
    const value = count / size;
    return `${formatFixed(value, value < 10 ? 2 : 1)} ${unit}`;
  }
  return String(count);
}
