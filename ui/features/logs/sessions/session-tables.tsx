import { Money } from "../../../components/display/Money.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import type { Figures } from "../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import type { SessionView } from "./session-calls.ts";
import { differenceOf, FIGURES, type Figure, figureOf } from "./session-figures.ts";

type FigureRow = Readonly<{ figure: Figure }>;
/** A row for each figure. */
export const FIGURE_ROWS: readonly FigureRow[] = FIGURES.map((figure) => ({ figure }));

const side = (key: "value" | "other", of: "session" | "other"): ListColumn<FigureRow, Pair> => ({
  ...{ key, width: 180, align: "right" },
  head: ({ data }) => data[of].id,
  cell: ({ figure }, { data }) => <FigureValue figure={figure} value={figureOf(data[of], figure)} />,
});

type Pair = Readonly<{ session: SessionView; other: SessionView }>;

/** The figures of a session next to those of another. */
export const SESSION_PAIR: Figures<FigureRow, Pair> = {
  text: (name) => `sessions.${name}`,
  rowId: ({ figure }) => figure,
  rowName: ({ figure }) => figure,
  columns: [
    { key: "metric", kind: "choice", texts: "sessions.columns", of: "figure", isTitle: true },
    side("value", "session"),
    side("other", "other"),
    {
      key: "difference",
      width: 120,
      align: "right",
      cell({ figure }, { data: { session, other } }) {
        const share = differenceOf(figureOf(session, figure), figureOf(other, figure));
        if (share === null) return "–";
        return <span className="num">{`${share > 0 ? "+" : ""}${formatShare(share)}`}</span>;
      },
    },
  ],
};

/** A figure in its unit. */
export const FigureValue = ({ figure, value }: Readonly<{ figure: Figure; value: number }>) => {
  if (figure === "cost") return <Money quota={value} decimals={6} />;
  const isTime = figure === "duration" || figure === "busy";
  return <span className="num">{isTime ? formatDuration(value) : formatNumber(value)}</span>;
};
