import type { TFunction } from "i18next";
import type { Column } from "../../components/data-table/column.ts";
import { Elapsed, LongText, Moment, Progress } from "./cells.tsx";
import { commonColumns } from "./common-columns.tsx";
import type { Opened } from "./TaskDialog.tsx";
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
