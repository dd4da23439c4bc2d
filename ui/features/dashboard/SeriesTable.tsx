import Box from "@mui/material/Box";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { useTranslation } from "react-i18next";
import type { Series } from "../../../src/domain/logs/usage/read-series.ts";
import { Count, Money } from "../../components/display/Money.tsx";
import { formatDuration } from "../../lib/format/duration.ts";
import { percent, totalsOf } from "./series-values.ts";

/** The totals of each series: cost, calls, tokens, failure rate and average duration. */
export const SeriesTable = ({
  series,
  nameOf,
}: Readonly<{ series: readonly Series[]; nameOf: (one: Series) => string }>) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t("dashboard.table")}>
      <Table size="small" sx={{ minWidth: 620 }}>
        <TableHead>
          <TableRow>
            <TableCell sx={{ width: "36%" }}>{t("dashboard.name")}</TableCell>
            {(["spent", "calls", "tokens", "failures", "duration"] as const).map((head) => (
              <TableCell key={head} align="right">
                {t(`dashboard.${head}`)}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {series.map((one) => {
            const sums = totalsOf([one]);
            return (
              <TableRow key={one.key ?? "others"}>
                <TableCell sx={{ overflowWrap: "anywhere" }}>{nameOf(one)}</TableCell>
                <TableCell align="right">
                  <Money quota={sums.quota} decimals={4} />
                </TableCell>
                <TableCell align="right">
                  <Count value={sums.count} />
                </TableCell>
                <TableCell align="right">
                  <Count value={sums.prompt_tokens + sums.completion_tokens} />
                </TableCell>
                <TableCell align="right" className="num">
                  {percent(sums.failed, sums.count)}
                </TableCell>
                <TableCell align="right" className="num">
                  {formatDuration(sums.count ? sums.elapsed_ms / sums.count : null)}
                </TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </Box>
  );
};
