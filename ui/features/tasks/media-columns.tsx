import type { TFunction } from "i18next";
import type { Column } from "../../components/data-table/column.ts";
import { Cost, Elapsed, LongText, Moment, Progress } from "./cells.tsx";
import type { Opened } from "./TaskDialog.tsx";
import { TaskStatus } from "./TaskStatus.tsx";
import { elapsedSeconds, type MediaTask } from "./task.ts";

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
export function mediaColumns(t: TFunction, isAdmin: boolean, open: (opened: Opened) => void): Column<MediaTask>[] {
  const ofAdmins: Column<MediaTask>[] = [
    { key: "channel", head: t("tasks.columns.channel"), width: 80, cell: ({ channel_id }) => channel_id },
    { key: "user", head: t("tasks.columns.user"), width: 70, cell: ({ user_id }) => user_id },
  ];
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
    ...(isAdmin ? ofAdmins : []),
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
    {
      key: "status",
      head: t("tasks.columns.status"),
      width: 120,
      isSolid: true,
      cell: ({ status }) => <TaskStatus status={status} />,
    },
    {
      key: "cost",
      head: t("tasks.columns.cost"),
      width: 140,
      cell: ({ quota, refunded }) => <Cost quota={quota} refunded={refunded} />,
    },
    {
      key: "reason",
      head: t("tasks.columns.reason"),
      width: 180,
      cell: ({ fail_reason }) => (
        <LongText
          text={fail_reason}
          onOpen={() => open({ title: t("tasks.columns.reason"), kind: "text", content: fail_reason })}
        />
      ),
    },
  ];
}
