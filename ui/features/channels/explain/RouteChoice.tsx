import AltRoute from "@mui/icons-material/AltRouteOutlined";
import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { ExplainedCandidate, ExplainedRoute } from "../../../../src/gateway/quality/explain-route.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Money } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare, roundTo } from "../../../lib/format/number.ts";

type Candidate = ExplainedCandidate & Readonly<{ id: number }>;

/** The choice among a route's models, with the figures it was made on. */
export const RouteChoice = ({ route }: { route: ExplainedRoute }) => {
  const { t } = useTranslation();
  const columns = useCandidateColumns(route);
  const model = useDataTable({
    columns,
    rows: route.candidates.map((candidate, id): Candidate => ({ ...candidate, id })),
    rowId: ({ id }) => id,
    rowName: (candidate) => candidate.model,
  });
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
      <DataTable
        model={model}
        error={null}
        onRetry={() => {}}
        empty={<EmptyState icon={<AltRoute />} title={t("explain.route.none")} body="" />}
        isDim={({ position }) => position === null}
      />
      {chosen && (
        <Box component="h2" sx={{ fontSize: 15, mt: 5, mb: 0 }}>
          {t("explain.route.channels", { model: chosen.model })}
        </Box>
      )}
    </Box>
  );
};

/** One row per candidate of the route. */
function useCandidateColumns({ strategy }: ExplainedRoute): Column<Candidate>[] {
  const { t } = useTranslation();
  return [
    {
      key: "position",
      head: t("explain.route.position"),
      width: 64,
      align: "right",
      cell: ({ position }) => position ?? "–",
    },
    { key: "model", head: t("explain.model"), isTitle: true, cell: (candidate) => candidate.model },
    ...(strategy === "weighted"
      ? [
          {
            key: "share",
            head: t("explain.share"),
            width: 92,
            align: "right",
            cell: ({ share }) => formatShare(share),
          } satisfies Column<Candidate>,
        ]
      : []),
    {
      key: "firstToken",
      head: t("explain.route.firstToken"),
      width: 112,
      align: "right",
      cell: ({ figures }) => formatDuration(figures?.firstTokenMs ?? null),
    },
    {
      key: "speed",
      head: t("explain.route.speed"),
      width: 104,
      align: "right",
      cell: ({ figures }) => numberOrDash(figures?.tokensPerSecond),
    },
    {
      key: "latency",
      head: t("explain.route.latency"),
      width: 112,
      align: "right",
      cell: ({ figures }) => formatDuration(figures?.latencyMs ?? null),
    },
    {
      key: "cost",
      head: t("explain.route.cost"),
      width: 104,
      align: "right",
      cell: ({ figures }) => (figures?.cost == null ? "–" : <Money quota={figures.cost} exact />),
    },
    {
      key: "inFlight",
      head: t("explain.inFlight"),
      width: 100,
      align: "right",
      cell: ({ figures }) => numberOrDash(figures?.inFlight),
    },
    {
      key: "reason",
      head: t("explain.reasons.head"),
      isSolid: true,
      cell: ({ reason, position }) => {
        if (reason) return t(`explain.route.reasons.${reason}`);
        return t(position === 1 ? "explain.reasons.none" : "explain.route.reasons.later");
      },
    },
  ];
}

const numberOrDash = (value: number | null | undefined): string =>
  value == null ? "–" : formatNumber(roundTo(value, 1));
