import Export from "@mui/icons-material/OutboxOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Resume from "@mui/icons-material/PlayArrowOutlined";
import Send from "@mui/icons-material/SendOutlined";
import Box from "@mui/material/Box";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { ResourcePage } from "../../../components/page/ResourcePage.tsx";
import { formatSeconds } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { SinkDrawer } from "./SinkDrawer.tsx";
import { changeSink, deleteSink, type Sink, sinkList, testSink } from "./sink-calls.ts";

/** The server counts no further. */
const MOST_COUNTED = 1000;

/** Destinations that usage records are exported to, with what waits for each. */
export const SinkListPage = () => {
  const { t } = useTranslation();
  const { test, toggle } = useSinkActions();
  return (
    <ResourcePage
      text={(name) => `sinks.${name}`}
      list={useQuery(sinkList)}
      columns={useSinkColumns()}
      icon={<Export />}
      actions={(sink, edit) => [
        { label: t("sinks.test"), icon: <Send />, onSelect: () => void test(sink) },
        edit,
        {
          label: t(sink.enabled ? "sinks.pause" : "sinks.resume"),
          icon: sink.enabled ? <Pause /> : <Resume />,
          onSelect: () => void toggle(sink),
        },
      ]}
      remove={deleteSink}
      isDim={({ enabled }) => !enabled}
      drawer={(sink, onClose) => <SinkDrawer sink={sink} onClose={onClose} />}
    />
  );
};

function useSinkActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(sinkList));
  return {
    test: ({ id }: Sink) => act({ work: () => testSink(id), done: String }),
    toggle: ({ id, name, enabled }: Sink) =>
      act({
        work: () => changeSink(id, { name, enabled: !enabled, config: {} }),
        done: () => t(enabled ? "sinks.pausedToast" : "sinks.resumedToast", { name }),
      }),
  };
}

function useSinkColumns(): readonly Column<Sink>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "name", head: t("sinks.columns.name"), isTitle: true, cell: ({ name }) => name },
      { key: "type", head: t("sinks.columns.type"), width: 160, cell: ({ type }) => t(`sinks.types.${type}`) },
      { key: "target", head: t("sinks.columns.target"), width: 220, cell: ({ target }) => target || "–" },
      {
        key: "state",
        head: t("sinks.columns.state"),
        width: 132,
        isSolid: true,
        cell: (sink) => <StateCell sink={sink} />,
      },
      {
        key: "waiting",
        head: t("sinks.columns.waiting"),
        width: 120,
        align: "right",
        cell: ({ waiting }) => {
          const calls = formatNumber(waiting);
          return <span className="num">{waiting >= MOST_COUNTED ? t("sinks.moreWaiting", { calls }) : calls}</span>;
        },
      },
      {
        key: "lag",
        head: t("sinks.columns.lag"),
        width: 96,
        align: "right",
        cell: ({ lag_seconds }) => <span className="num">{formatSeconds(lag_seconds)}</span>,
      },
      {
        key: "exported",
        head: t("sinks.columns.exported"),
        width: 112,
        align: "right",
        cell: ({ exported }) => <span className="num">{formatNumber(exported)}</span>,
      },
      {
        key: "last",
        head: t("sinks.columns.last"),
        width: 120,
        cell: ({ last_success_at }) => (last_success_at === null ? "–" : <TimeAgo seconds={last_success_at} />),
      },
    ],
    [t],
  );
}

const StateCell = ({ sink: { enabled, last_error } }: Readonly<{ sink: Sink }>) => {
  const { t } = useTranslation();
  const reason = <Box sx={{ overflowWrap: "anywhere" }}>{last_error}</Box>;
  if (last_error !== "") {
    return (
      <StatusChip tone="bad" reason={reason}>
        {t("sinks.states.failing")}
      </StatusChip>
    );
  }
  return (
    <StatusChip tone={enabled ? "ok" : "idle"}>{t(enabled ? "sinks.states.on" : "sinks.states.paused")}</StatusChip>
  );
};
