import Export from "@mui/icons-material/OutboxOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Resume from "@mui/icons-material/PlayArrowOutlined";
import Send from "@mui/icons-material/SendOutlined";
import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../../components/page/list/standard-actions.tsx";
import { formatSeconds } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { SinkDrawer } from "./SinkDrawer.tsx";
import { changeSink, deleteSink, type Sink, sinkList, testSink } from "./sink-calls.ts";

/** The server counts no further. */
const MOST_COUNTED = 1000;

const form = (sink: Sink | null, close: () => void) => <SinkDrawer sink={sink} onClose={close} />;

/** Destinations that usage records are exported to, with what waits for each. */
export const SINKS: ResourceList<Sink> = {
  text: (name) => `sinks.${name}`,
  icon: Export,
  rows: { useAll: () => useQuery(sinkList) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    { key: "name", kind: "text", isTitle: true },
    { key: "type", kind: "choice", texts: "sinks.types", width: 160 },
    { key: "target", kind: "text", width: 220 },
    { key: "state", kind: "status", width: 132, of: stateOf },
    {
      key: "waiting",
      width: 120,
      align: "right",
      cell: ({ waiting }, { t }) => {
        const calls = formatNumber(waiting);
        return <span className="num">{waiting >= MOST_COUNTED ? t("sinks.moreWaiting", { calls }) : calls}</span>;
      },
    },
    {
      key: "lag",
      width: 96,
      align: "right",
      cell: ({ lag_seconds }) => <span className="num">{formatSeconds(lag_seconds)}</span>,
    },
    { key: "exported", kind: "number", width: 112 },
    { key: "last", kind: "time", of: "last_success_at", width: 120 },
  ],
  add: { name: "add", needs: "settings:write", open: form },
  actions: [
    { name: "test", icon: Send, needs: "settings:act", work: ({ id }) => testSink(id) },
    editing(form, { needs: "settings:write" }),
    ...switching<Sink>({
      needs: "settings:write",
      isOn: ({ enabled }) => enabled,
      work: ({ id, name }, enabled) => changeSink(id, { name, enabled, config: {} }),
      done: { on: "sinks.resumedToast", off: "sinks.pausedToast" },
      names: { on: "resume", off: "pause" },
      icons: { on: Resume, off: Pause },
    }),
    deleting(({ id }) => deleteSink(id), "sinks.deleted", { needs: "settings:write" }),
  ],
  onRow: ["edit"],
  isDim: ({ enabled }) => !enabled,
};

function stateOf({ enabled, last_error: error }: Sink) {
  if (error !== "")
    return {
      tone: "bad",
      text: "sinks.states.failing",
      reason: <Box sx={{ overflowWrap: "anywhere" }}>{error}</Box>,
    } as const;
  return { tone: enabled ? "ok" : "idle", text: enabled ? "sinks.states.on" : "sinks.states.paused" } as const;
}

export const SinkListPage = () => <ListPage list={SINKS} />;
