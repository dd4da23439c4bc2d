import Box from "@mui/material/Box";
import { Link } from "@tanstack/react-router";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import type { Figures } from "../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import { clockTime } from "../../../lib/format/time.ts";
import type { AgentRow } from "./agent-rows.ts";
import type { AgentNode, SessionCall, SessionView } from "./session-calls.ts";
import { differenceOf, FIGURES, type Figure, figureOf } from "./session-figures.ts";

const figure = (key: string, width: number, of: (branch: AgentNode["branch"]) => number): ListColumn<AgentRow> => ({
  key,
  kind: "number",
  width,
  of: ({ node: { branch } }) => of(branch),
});

/** The agents of a session as a tree, with the figures of each branch. */
export const AGENTS_OF_SESSION: Figures<AgentRow> = {
  text: (name) => `sessions.${name}`,
  rowId: ({ node }) => node.agent,
  rowName: ({ node: { agent, name } }, { t }) => name || agent || t("sessions.mainAgent"),
  columns: [
    {
      key: "agent",
      isTitle: true,
      cell: ({ node: { agent, name }, depth }, { t }) => (
        <Box component="span" title={agent} sx={{ pl: depth * 3, overflow: "hidden", textOverflow: "ellipsis" }}>
          {agent === "" ? t("sessions.mainAgent") : name || agent}
        </Box>
      ),
    },
    figure("calls", 96, ({ calls }) => calls),
    figure("failed", 88, ({ failed }) => failed),
    figure("tools", 104, ({ tool_calls: calls }) => calls),
    figure("prompt", 112, ({ prompt_tokens: tokens }) => tokens),
    figure("cached", 104, ({ cached_tokens: tokens }) => tokens),
    figure("completion", 112, ({ completion_tokens: tokens }) => tokens),
    { key: "busy", kind: "duration", of: ({ node: { branch } }) => branch.elapsed_ms, width: 128 },
    { key: "cost", kind: "money", of: ({ node: { branch } }) => branch.quota, width: 104, decimals: 6 },
  ],
};

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

/** The requests of a step. */
export const SESSION_CALLS: Figures<SessionCall> = {
  text: (name) => `sessions.${name}`,
  rowId: ({ request_id: id }) => id,
  rowName: ({ model }) => model,
  columns: [
    { key: "time", kind: "text", of: ({ created_at: at }) => clockTime(at), width: 88 },
    {
      key: "model",
      isTitle: true,
      cell: ({ model, request_id: id, failed }, { t }) => (
        <Box sx={{ display: "flex", gap: 2 }}>
          <Link to="/log/$requestId" params={{ requestId: id }}>
            {model}
          </Link>
          {failed && <StatusChip tone="bad">{t("sessions.columns.failed")}</StatusChip>}
        </Box>
      ),
    },
    { key: "tools", kind: "text", of: ({ tools }) => tools.join(", "), width: 140 },
    { key: "prompt", kind: "number", of: "prompt_tokens", width: 112 },
    { key: "cached", kind: "number", of: "cached_tokens", width: 112 },
    { key: "completion", kind: "number", of: "completion_tokens", width: 112 },
    { key: "firstToken", kind: "duration", of: "first_token_ms", width: 96 },
    { key: "duration", kind: "duration", of: "elapsed_ms", width: 96 },
    { key: "cost", kind: "money", of: "quota", width: 104, decimals: 6 },
  ],
};
