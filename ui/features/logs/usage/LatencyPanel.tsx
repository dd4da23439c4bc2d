import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Latency } from "../../../../src/domain/logs/usage/read-latency.ts";
import { Choice } from "../../../components/charts/Choice.tsx";
import { Count } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Panel, usePhone } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { type DataFilter, type LatencyDimension, latency } from "../entries/data-queries.ts";
import { elapsedTone } from "../entries/log-cells.tsx";
import { FigureCards } from "./FigureCards.tsx";
import { failureTone, percent } from "./series-values.ts";

const DIMENSIONS = ["model", "channel"] as const;
const PERCENTILES = ["p50", "p90", "p99"] as const;

type LatencyPanelProps = Readonly<{
  /** In epoch seconds. */
  period: Readonly<{ start: number; end: number }>;
  filter: DataFilter;
}>;

/** Latency and failures, by model or channel. */
export const LatencyPanel = memo(({ period, filter }: LatencyPanelProps) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [by, setBy] = useState<LatencyDimension>("model");
  const { data, error, refetch } = useQuery(latency(by, period, filter));
  return (
    <Panel
      title={t("usage.latency")}
      {...(data?.calls && {
        hint: t("usage.latencyCalls", { count: data.calls, number: formatNumber(data.calls) }),
      })}
    >
      <Box sx={{ mb: 3 }}>
        <Choice
          label={t("usage.by")}
          value={by}
          choices={DIMENSIONS}
          words={(one) => t(`usage.dimensions.${one}`)}
          onChange={setBy}
        />
      </Box>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={160} />}
      {data?.rows.length === 0 && <Box sx={{ color: "text.secondary" }}>{t("usage.noCalls")}</Box>}
      {data && data.rows.length > 0 && isPhone && (
        <FigureCards label={t("usage.latency")} rows={data.rows.map((row) => cardOf(row, by, t))} />
      )}
      {data && data.rows.length > 0 && !isPhone && (
        <Box sx={{ overflow: "auto", maxHeight: 420 }} tabIndex={0} role="region" aria-label={t("usage.latency")}>
          <Table size="small" stickyHeader sx={{ minWidth: 720 }}>
            <TableHead>
              <TableRow>
                <TableCell sx={{ width: "36%" }}>{t(`usage.dimensions.${by}`)}</TableCell>
                <TableCell align="right">{t("usage.calls")}</TableCell>
                <TableCell align="right">{t("usage.failures")}</TableCell>
                {PERCENTILES.map((one) => (
                  <TableCell key={one} align="right">
                    {t(`usage.latencyHeads.${one}`)}
                  </TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {data.rows.map((row) => (
                <LatencyRow key={row.key} row={row} by={by} />
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
    </Panel>
  );
});

const nameOf = (row: Latency, by: LatencyDimension, t: TFunction): string =>
  row.name || (by === "channel" && row.key !== "0" ? `#${row.key}` : t("usage.unnamed"));

const cardOf = (row: Latency, by: LatencyDimension, t: TFunction) => ({
  key: row.key,
  name: nameOf(row, by, t),
  figures: [
    [t("usage.calls"), <Count key="calls" value={row.count} />],
    [t("usage.failures"), percent(row.failed, row.count)],
    ...PERCENTILES.map((one) => [t(`usage.latencyHeads.${one}`), formatDuration(row[`${one}_ms`])] as const),
  ] as const,
});

const LatencyRow = ({ row, by }: { row: Latency; by: LatencyDimension }) => {
  const { t } = useTranslation();
  const tone = failureTone(row.failed, row.count);
  return (
    <TableRow>
      <TableCell sx={{ overflowWrap: "anywhere" }}>{nameOf(row, by, t)}</TableCell>
      <TableCell align="right">
        <Count value={row.count} />
      </TableCell>
      <TableCell align="right" className="num" sx={tone ? { color: `tone.${tone}.text` } : {}}>
        {percent(row.failed, row.count)}
      </TableCell>
      {([row.p50_ms, row.p90_ms, row.p99_ms] as const).map((ms, index) => (
        <TableCell
          key={PERCENTILES[index]}
          align="right"
          className="num"
          sx={ms === null ? { color: "text.tertiary" } : { color: `tone.${elapsedTone(ms)}.text` }}
        >
          {formatDuration(ms)}
        </TableCell>
      ))}
    </TableRow>
  );
};
