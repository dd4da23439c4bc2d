import Heart from "@mui/icons-material/MonitorHeartOutlined";
import Box from "@mui/material/Box";
import MuiLink from "@mui/material/Link";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ModelStatus } from "../../../../src/domain/models/model-health.ts";
import { fuzzyMatch } from "../../../../src/domain/models/model-name-rules.ts";
import { readData } from "../../../api/client.ts";
import { modelStatusApi } from "../../../api/groups.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { columnName } from "../../../components/page/list/FigureTable.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { useSession } from "../../../state/session.ts";
import { DayBars, shareOrDash } from "./DayBars.tsx";
import { modelPath } from "./model-page.ts";

const TONE = { up: "ok", degraded: "warn", down: "bad" } as const;
const STATES = ["down", "degraded", "up"] as const;

const shareText = ({ availability }: ModelStatus): string => shareOrDash(availability);

/** Models by their availability, and how it was on each day. */
export const MODEL_STATUS: ResourceList<ModelStatus, object, Data> = {
  text: (name) => `status.${columnName(name)}`,
  icon: Heart,
  rows: {
    useAll: ({ data: { list } }) => ({ ...list, data: list.data?.models }),
    matches: ({ model_name: name, state }, { text }) =>
      fuzzyMatch(text("search"), name) && (text("state") === "" || state === text("state")),
  },
  rowId: ({ model_name: name }) => name,
  rowName: ({ model_name: name }) => name,
  unit: "pricing.unit",
  columns: [
    {
      key: "model",
      isTitle: true,
      cell: ({ model_name: name }) => (
        <MuiLink
          component={Link}
          to={modelPath(name)}
          title={name}
          color="inherit"
          underline="hover"
          sx={{ fontWeight: 560 }}
        >
          {name}
        </MuiLink>
      ),
    },
    {
      key: "state",
      kind: "status",
      width: 128,
      of: ({ state }) => ({ tone: TONE[state], text: `status.states.${state}` }),
    },
    {
      key: "days",
      head: ({ t, data }) => t("status.days", { count: data.days }),
      width: 400,
      isSolid: true,
      cell: (model, { t, data }) => (
        <DayBars
          days={model.days}
          count={data.days}
          label={t("status.daysOf", { model: model.model_name, share: shareText(model) })}
        />
      ),
    },
    {
      key: "availability",
      width: 110,
      align: "right",
      cell: (model) => <span className="num">{shareText(model)}</span>,
    },
  ],
  search: "status.search",
  filters: [
    { key: "state", head: "status.state", options: STATES.map((state) => [state, `status.states.${state}`] as const) },
  ],
  empty: { title: "status.emptyTitle", body: "status.emptyBody" },
  above({ t, data: { list, troubled } }) {
    if (!list.data) return !list.error && <Skeleton variant="rounded" width={160} height={22} sx={{ mb: 4 }} />;
    if (list.data.models.length === 0) return null;
    return (
      <Box role="status" sx={{ mb: 4 }}>
        <StatusChip tone={troubled === 0 ? "ok" : "warn"}>
          {troubled === 0 ? t("status.allUp") : t("status.troubled", { count: troubled })}
        </StatusChip>
      </Box>
    );
  },
  useData,
};

type Data = ReturnType<typeof useData>;

function useData() {
  const list = useQuery(modelStatus(useSession().user?.id));
  return {
    list,
    days: list.data?.days ?? 0,
    troubled: list.data?.models.filter(({ state }) => state !== "up").length ?? 0,
  };
}

/** The status of each model, now and over the last 90 days. */
export const ModelStatusPage = () => (
  <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
    <ListPage list={MODEL_STATUS} />
  </Box>
);

const ASK_EVERY_MS = 60_000;

/** The models' status; `userId` separates the cache of visitors and users. */
const modelStatus = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["model-status", userId ?? "visitor"],
    queryFn: ({ signal }) => readData(modelStatusApi.models.get({ fetch: { signal } }), { stayOn401: true }),
    refetchInterval: ASK_EVERY_MS,
  });
