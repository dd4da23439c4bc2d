import AltRoute from "@mui/icons-material/AltRouteOutlined";
import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { ExplainedCandidate, ExplainedRoute } from "../../../../src/gateway/quality/explain-route.ts";
import { Money } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import { columnName, type Figures, FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare, roundTo } from "../../../lib/format/number.ts";

type Candidate = ExplainedCandidate & Readonly<{ id: number }>;
type Figured = Candidate["figures"];

/** The choice among a route's models, with the figures it was made on. */
export const RouteChoice = ({ route }: { route: ExplainedRoute }) => {
  const { t } = useTranslation();
  const chosen = route.candidates.find(({ position }) => position === 1);
  return (
    <Box component="section" sx={{ mb: 5 }}>
      <Box component="h2" sx={{ fontSize: 15, mt: 0, mb: 1 }}>
        {t("explain.route.title", { name: route.name, strategy: t(`routes.strategies.${route.strategy}`) })}
      </Box>
      <Box component="p" sx={{ mt: 0, mb: 3, fontSize: 13, color: "text.secondary" }}>
        {t(`routes.strategyHints.${route.strategy}`)}
      </Box>
      {route.experiment && (
        <Box component="p" sx={{ mt: 0, mb: 3, fontSize: 13 }}>
          {t(`explain.route.experiment.${route.experiment.mode}`, route.experiment)}
        </Box>
      )}
      <FigureTable
        table={CANDIDATES}
        rows={route.candidates.map((candidate, id) => ({ ...candidate, id }))}
        data={route}
        empty={<EmptyState icon={<AltRoute />} title={t("explain.route.none")} body="" />}
      />
      {chosen && (
        <Box component="h2" sx={{ fontSize: 15, mt: 5, mb: 0 }}>
          {t("explain.route.channels", { model: chosen.model })}
        </Box>
      )}
    </Box>
  );
};

const figure = (
  key: "firstToken" | "speed" | "latency" | "inFlight",
  width: number,
  textOf: (figures: Figured) => string,
): ListColumn<Candidate, ExplainedRoute> => ({
  ...{ key, width, align: "right" },
  ...(key === "inFlight" && { head: "explain.inFlight" }),
  cell: ({ figures }) => textOf(figures),
});

/** A route's models in the order in which it would try them. */
export const CANDIDATES: Figures<Candidate, ExplainedRoute> = {
  text: (name) => `explain.route.${columnName(name)}`,
  rowId: ({ id }) => id,
  rowName: ({ model }) => model,
  isDim: ({ position }) => position === null,
  columns: [
    { key: "position", width: 64, align: "right", cell: ({ position }) => position ?? "–" },
    { key: "model", head: "explain.model", kind: "text", isTitle: true },
    {
      key: "share",
      head: "explain.share",
      width: 92,
      align: "right",
      isShown: ({ data }) => data.strategy === "weighted",
      cell: ({ share }) => formatShare(share),
    },
    figure("firstToken", 112, (figures) => formatDuration(figures?.firstTokenMs ?? null)),
    figure("speed", 104, (figures) => numberOrDash(figures?.tokensPerSecond)),
    figure("latency", 112, (figures) => formatDuration(figures?.latencyMs ?? null)),
    {
      key: "cost",
      width: 104,
      align: "right",
      cell: ({ figures }) => (figures?.cost == null ? "–" : <Money quota={figures.cost} exact />),
    },
    figure("inFlight", 100, (figures) => numberOrDash(figures?.inFlight)),
    {
      key: "reason",
      head: "explain.reasons.head",
      isSolid: true,
      cell({ reason, position }, { t }) {
        if (reason) return t(`explain.route.reasons.${reason}`);
        return t(position === 1 ? "explain.reasons.none" : "explain.route.reasons.later");
      },
    },
  ],
};

const numberOrDash = (value: number | null | undefined): string =>
  value == null ? "–" : formatNumber(roundTo(value, 1));
