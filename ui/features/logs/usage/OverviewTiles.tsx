import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useTheme } from "@mui/material/styles";
import { useQuery } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { UsageOverview } from "../../../../src/domain/logs/usage/read-overview.ts";
import { Trend } from "../../../components/charts/Trend.tsx";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import type { MoneyFormat } from "../../../lib/format/amount-text.ts";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatFixed, formatNumber, formatShare } from "../../../lib/format/number.ts";
import { SpendAlert } from "../../alerts/SpendAlert.tsx";
import { type UsageView, usageOverview, viewSeries } from "../entries/data-queries.ts";
import { compactCount } from "../overview/Overview.tsx";
import { periodsOf } from "./series-values.ts";
import { TILES, type TileFigures, type TileName, tileFigures } from "./tile-figures.ts";

type Props = Readonly<{ view: UsageView; compareStart: number | undefined }>;

/** The figures of a period, each with its change since the period before and its course. */
export const OverviewTiles = memo(({ view, compareStart }: Props) => {
  const { t } = useTranslation();
  const { scope, period, filter, step } = view;
  const { data, error, refetch } = useQuery(usageOverview(scope, period, filter, compareStart));
  const { data: series = [] } = useQuery(viewSeries(view));
  if (error && !data) return <ErrorState error={error} onRetry={() => refetch()} />;
  const chart = { series, periods: periodsOf(series, step, period) };
  const sampled = data?.current.performance.calls ?? 0;
  return (
    <>
      <Box
        component="dl"
        aria-label={t("usage.overview")}
        sx={{
          m: 0,
          mb: 4,
          display: "grid",
          gridTemplateColumns: { xs: "repeat(2, minmax(0, 1fr))", lg: "repeat(4, minmax(0, 1fr))" },
          gap: { xs: 2, sm: 3 },
        }}
      >
        {TILES.map((name) => (
          <Tile
            key={name}
            name={name}
            overview={data}
            figures={data && tileFigures(name, data, chart)}
            note={name === "cost" && <SpendAlert ofAll={scope === "all"} />}
          />
        ))}
      </Box>
      {/* Has its place in any case, so that what is below doesn't move. */}
      <Box sx={{ mt: -2, mb: 4, color: "text.tertiary", fontSize: 12, ...(!sampled && { visibility: "hidden" }) }}>
        {t("usage.sampled", { count: sampled, number: formatNumber(sampled) })}
      </Box>
    </>
  );
});

type TileProps = Readonly<{
  name: TileName;
  overview: UsageOverview | undefined;
  figures: TileFigures | undefined;
  /** Stands in place of the second line. */
  note: ReactNode;
}>;

const Tile = ({ name, overview, figures, note }: TileProps) => {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  const details = useDetails();
  return (
    <Box
      sx={{
        p: { xs: 3, sm: 4 },
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        bgcolor: "surface.paper",
        minWidth: 0,
      }}
    >
      <Box component="dt" sx={{ fontSize: 12, lineHeight: "16px", color: "text.tertiary" }}>
        {t(`usage.tiles.${name}`)}
      </Box>
      <Box component="dd" sx={{ m: 0, mt: 1 }}>
        <Row gap={2} sx={{ justifyContent: "space-between" }}>
          <Box
            className="num"
            sx={{ fontSize: { xs: 17, sm: 20 }, lineHeight: "28px", fontWeight: 600, whiteSpace: "nowrap" }}
          >
            {figures ? (
              valueText(name, figures.value, money, t)
            ) : (
              <Skeleton variant="rounded" width={72} height={20} sx={{ my: 1 }} />
            )}
          </Box>
          <Course figures={figures} />
        </Row>
        <Row
          wrap
          gap={2}
          sx={{ mt: 1, minHeight: 16, rowGap: 0, fontSize: 12, lineHeight: "16px", justifyContent: "space-between" }}
        >
          <Box sx={{ color: "text.tertiary", minWidth: 0 }} className="num">
            {note || (overview && details(name, overview))}
          </Box>
          <Change figures={figures} />
        </Row>
      </Box>
    </Box>
  );
};

type Translate = ReturnType<typeof useTranslation>["t"];

/** A tile is narrow: amounts have two decimals from a dollar on. */
const SMALL_DECIMALS = 4;

function valueText(name: TileName, value: number | null, money: MoneyFormat, t: Translate): string {
  if (value === null) return "–";
  if (name === "cost") return amountText(value, money, value >= money.quotaPerUnit ? 2 : SMALL_DECIMALS);
  if (name === "requests" || name === "tokens") return compactCount(value);
  if (name === "firstToken" || name === "duration") return formatDuration(value);
  if (name === "speed") return t("usage.perSecond", { count: Number(formatFixed(value, value < 10 ? 1 : 0)) });
  return formatShare(value);
}

/** The second line of a tile: what its figure consists of. */
function useDetails(): (name: TileName, overview: UsageOverview) => string {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  return (name, { current: { sums, performance } }) => {
    switch (name) {
      case "tokens":
        return t("usage.inAndOut", {
          input: compactCount(sums.prompt_tokens),
          output: compactCount(sums.completion_tokens),
        });
      case "success":
        return t("usage.failedOf", { count: sums.failed, number: formatNumber(sums.failed) });
      case "firstToken":
        return t("usage.p95", { time: formatDuration(performance.first_token_p95_ms) });
      case "duration":
        return t("usage.p95", { time: formatDuration(performance.duration_p95_ms) });
      case "cacheShare":
        return t("usage.saved", { amount: amountText(performance.saved_quota, money, SMALL_DECIMALS) });
      default:
        return "";
    }
  };
}

const Change = ({ figures }: { figures: TileFigures | undefined }) => {
  const { t } = useTranslation();
  const change = figures?.change;
  if (!change) return null;
  const percent = Math.abs(change.value * 100);
  const number = formatFixed(percent, percent < 10 ? 1 : 0);
  const text = change.isPoints ? t("usage.percentagePoints", { number }) : `${number}%`;
  const tone = change.isBetter === null ? "text.secondary" : `tone.${change.isBetter ? "ok" : "bad"}.text`;
  const sign = Number(number) === 0 ? "" : change.value > 0 ? "↑ " : "↓ ";
  return (
    <Tip title={t("usage.sincePeriodBefore")}>
      <Box component="span" className="num" sx={{ flex: "none", color: tone }}>
        {sign}
        {text}
      </Box>
    </Tip>
  );
};

const TREND_PX = 28;

/** The course of a figure. */
const Course = ({ figures }: { figures: TileFigures | undefined }) => {
  const { vars, palette } = useTheme();
  if (!figures) return null;
  return (
    <Box sx={{ flex: "0 1 88px", minWidth: 0, display: { xs: "none", sm: "block" } }}>
      <Trend values={figures.line} height={TREND_PX} color={(vars ?? { palette }).palette.series.s1} />
    </Box>
  );
};
