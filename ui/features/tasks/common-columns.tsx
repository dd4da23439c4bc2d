import type { TFunction } from "i18next";
import type { Column } from "../../components/data-table/column.ts";
import { Cost, LongText } from "./cells.tsx";
import type { Opened } from "./TaskDialog.tsx";
import { TaskStatus } from "./TaskStatus.tsx";
import type { DrawingTask, MediaTask } from "./task.ts";

/** What drawings have in common with songs and videos; `open` shows what a cell has no room for. */
export function commonColumns<Task extends DrawingTask | MediaTask>(
  t: TFunction,
  isAdmin: boolean,
  open: (opened: Opened) => void,
) {
  const ofAdmins: Column<Task>[] = [
    { key: "channel", head: t("tasks.columns.channel"), width: 80, cell: ({ channel_id }) => channel_id },
    { key: "user", head: t("tasks.columns.user"), width: 70, cell: ({ user_id }) => user_id },
  ];
  const status: Column<Task> = {
    key: "status",
    head: t("tasks.columns.status"),
    width: 120,
    isSolid: true,
    cell: (task) => <TaskStatus status={task.status} />,
  };
  const cost: Column<Task> = {
    key: "cost",
    head: t("tasks.columns.cost"),
    width: 140,
    cell: ({ quota, refunded }) => <Cost quota={quota} refunded={refunded} />,
  };
  const text = (key: "prompt" | "promptEn" | "reason", width: number, of: (task: Task) => string): Column<Task> => ({
    key,
    head: t(`tasks.columns.${key}`),
    width,
    cell: (task) => (
      <LongText
        text={of(task)}
        onOpen={() => open({ title: t(`tasks.columns.${key}`), kind: "text", content: of(task) })}
      />
    ),
  });
  return { ofAdmins: isAdmin ? ofAdmins : [], status, cost, text };
}
