import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { useTranslation } from "react-i18next";
import type { Margin } from "../../../../src/domain/logs/usage/read-margins.ts";
import type { Series } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { Count, Money } from "../../../components/display/Money.tsx";
import { usePhone } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { FigureCards } from "./FigureCards.tsx";
import { percent, totalsOf } from "./series-values.ts";

type Props = Readonly<{
  series: readonly Series[];
  nameOf: (one: Series) => string;
  /** Limits the page to a series; null for one that can't be named. */
  onFilter: (one: Series) => (() => void) | null;
  /** Shows more of those that are summed as others; null if it does already. */
  onExpand: (() => void) | null;
  /** What calls cost the operator, by the key of their series; null: no channel says, or it is not for this reader. */
  margins: ReadonlyMap<string, Margin> | null;
}>;

/** The totals of each series with its share of the cost: cost, calls, tokens, failure rate, average duration and margin. */
export const SeriesTable = ({ series, nameOf, onFilter, onExpand, margins }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const total = totalsOf(series).quota;
  const rows = series.map((one) => {
    const sums = totalsOf([one]);
    const margin = margins?.get(one.key ?? "");
    return {
      key: one.key ?? "others",
      name: (
        <>
          <SeriesName name={nameOf(one)} onFilter={onFilter(one)} />
          {one.key === null && onExpand && (
            <Button size="small" variant="text" onClick={onExpand} sx={{ ml: 2, height: 22 }}>
              {t("usage.expand")}
            </Button>
          )}
          <ShareBar share={total > 0 ? sums.quota / total : 0} />
        </>
      ),
      figures: [
        [t("usage.spent"), <Money key="spent" quota={sums.quota} decimals={4} />],
        [t("usage.calls"), <Count key="calls" value={sums.count} />],
        [t("usage.tokens"), <Count key="tokens" value={sums.prompt_tokens + sums.completion_tokens} />],
        [t("usage.failures"), percent(sums.failed, sums.count)],
        [t("usage.duration"), formatDuration(sums.count ? sums.elapsed_ms / sums.count : null)],
        ...(margins
          ? ([
              [t("usage.providerCost"), margin ? <Money key="cost" quota={margin.cost} decimals={4} /> : "–"],
              [t("usage.margin"), margin ? <MarginFigure key="margin" margin={margin} /> : "–"],
            ] as const)
          : []),
      ] as const,
    };
  });
  if (isPhone) return <FigureCards label={t("usage.table")} rows={rows} />;
  return (
    <Box sx={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t("usage.table")}>
      <Table size="small" sx={{ minWidth: margins ? 960 : 760 }}>
        <TableHead>
          <TableRow>
            <TableCell sx={{ width: "36%" }}>{t("usage.name")}</TableCell>
            {rows[0]?.figures.map(([head]) => (
              <TableCell key={head} align="right">
                {head}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(({ key, name, figures }) => (
            <TableRow key={key}>
              <TableCell sx={{ overflowWrap: "anywhere" }}>{name}</TableCell>
              {figures.map(([label, figure]) => (
                <TableCell key={label} align="right" className="num">
                  {figure}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
};

/** What is left of the charges of calls whose cost is known, and which part of them that is. */
const MarginFigure = ({ margin: { quota, cost } }: Readonly<{ margin: Margin }>) => (
  <>
    <Money quota={quota - cost} decimals={4} /> {quota > 0 && percent(quota - cost, quota)}
  </>
);

const SeriesName = ({ name, onFilter }: Readonly<{ name: string; onFilter: (() => void) | null }>) => {
  const { t } = useTranslation();
  if (!onFilter) return name;
  return (
    <Link
      component="button"
      type="button"
      color="inherit"
      underline="hover"
      aria-label={t("usage.filterBy", { name })}
      onClick={onFilter}
      sx={{ textAlign: "left", overflowWrap: "anywhere", font: "inherit" }}
    >
      {name}
    </Link>
  );
};

/** A part of the whole as a bar; the numbers next to it say the same. */
const ShareBar = ({ share }: { share: number }) => (
  <Box aria-hidden sx={{ mt: 1, height: 3, borderRadius: 2, bgcolor: "tone.idle.tint", overflow: "hidden" }}>
    <Box sx={{ height: 1, bgcolor: "primary.main" }} style={{ width: `${share * 100}%` }} />
  </Box>
);
