import Music from "@mui/icons-material/MusicNoteOutlined";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSeesAllUsers } from "../../api/accounts/use-organization.ts";
import { readEnvelope } from "../../api/client.ts";
import { taskApi } from "../../api/groups.ts";
import type { Column } from "../../components/data-table/column.ts";
import { PagedTable } from "../../components/data-table/PagedTable.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { PageHeader } from "../../components/layout.tsx";
import { withRight } from "../../components/page/with-right.tsx";
import { useAddress } from "../../components/use-address.ts";
import { type Opened, TaskDialog } from "./TaskDialog.tsx";
import { TaskFilters } from "./TaskFilters.tsx";
import { elapsedSeconds, type MediaTask, pollTasks, startOfDay } from "./task.ts";
import { commonColumns, Elapsed, LongText, Moment, Progress } from "./task-columns.tsx";

/** Music and video tasks, by default since the start of today. */
const TaskLogContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const forAdmin = useSeesAllUsers();
  const [opened, setOpened] = useState<Opened | null>(null);
  const start = address.number("start") ?? startOfDay(new Date());
  const end = address.number("end") ?? 0;
  const filters = {
    ...(address.text("search") && { task_id: address.text("search").trim() }),
    ...(forAdmin && address.number("channel") && { channel_id: address.number("channel") }),
    ...(start && { start_timestamp: start }),
    ...(end && { end_timestamp: end }),
  };
  return (
    <>
      <PageHeader title={t("tasks.media.title")} purpose={t("tasks.media.purpose")} />
      <TaskFilters address={address} hasChannel={forAdmin} start={start} end={end} />
      <PagedTable<MediaTask>
        name="media-tasks"
        read={async ({ p, ...page }, signal) => {
          const query = { ...filters, ...page, p: p - 1 };
          const { data, total } = await readEnvelope(
            (forAdmin ? taskApi.task : taskApi.task.self).get({ query, fetch: { signal } }),
          );
          return { items: data, total };
        }}
        filters={filters}
        columns={mediaColumns(t, forAdmin, setOpened)}
        rowId={({ id }) => id}
        rowName={({ task_id }) => task_id}
        unit={t("tasks.unit")}
        empty={<EmptyState icon={<Music />} title={t("tasks.emptyTitle")} body={t("tasks.media.emptyBody")} />}
        pollMs={pollTasks}
      />
      {opened && <TaskDialog opened={opened} onClose={() => setOpened(null)} />}
    </>
  );
};

const ACTIONS = [
  "MUSIC",
  "LYRICS",
  "text2video",
  "image2video",
  "img2video",
  "start-end2video",
  "generate",
  "remix",
  "edit",
  "extension",
] as const;

/** The columns of music and video tasks; the id opens the whole record. */
function mediaColumns(t: TFunction, isAdmin: boolean, open: (opened: Opened) => void): Column<MediaTask>[] {
  const { ofAdmins, status, cost, text } = commonColumns<MediaTask>(t, isAdmin, open);
  return [
    {
      key: "submitted",
      head: t("tasks.columns.submitted"),
      width: 110,
      cell: ({ submit_time }) => <Moment seconds={submit_time} />,
    },
    {
      key: "finished",
      head: t("tasks.columns.finished"),
      width: 110,
      cell: ({ finish_time }) => <Moment seconds={finish_time} />,
    },
    {
      key: "progress",
      head: t("tasks.columns.progress"),
      width: 100,
      isSolid: true,
      cell: ({ progress, status }) => <Progress isRound progress={progress} hasFailed={status === "FAILURE"} />,
    },
    {
      key: "elapsed",
      head: t("tasks.columns.elapsed"),
      width: 80,
      cell: ({ submit_time, finish_time }) => <Elapsed seconds={elapsedSeconds(submit_time, finish_time)} />,
    },
    ...ofAdmins,
    { key: "platform", head: t("tasks.columns.platform"), width: 90, cell: ({ platform }) => platform },
    {
      key: "type",
      head: t("tasks.columns.type"),
      width: 110,
      cell: ({ action }) => {
        const known = ACTIONS.find((one) => one === action);
        return known ? t(`tasks.songs.${known}`) : action;
      },
    },
    {
      key: "id",
      head: t("tasks.columns.id"),
      isTitle: true,
      cell: (task) => (
        <LongText
          text={task.task_id}
          onOpen={() => open({ title: task.task_id, kind: "record", content: JSON.stringify(task, null, 2) })}
        />
      ),
    },
    status,
    cost,
    text("reason", 180, ({ fail_reason }) => fail_reason),
  ];
}

export const TaskLogPage = withRight("requests.read", TaskLogContent);
