import Music from "@mui/icons-material/MusicNoteOutlined";
import { useSeesAllUsers } from "../../api/accounts/use-organization.ts";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { readEnvelope } from "../../api/client.ts";
import { taskApi } from "../../api/groups.ts";
import { ListPage } from "../../components/page/list/ListPage.tsx";
import type { FilterValues, ResourceList } from "../../components/page/list/resource-list.ts";
import { withRight } from "../../components/page/with-right.tsx";
import { TASK_FILTERS, TaskTimes } from "./TaskFilters.tsx";
import { elapsedSeconds, type MediaTask, pollTasks, startOfDay } from "./task.ts";
import {
  ADMIN_COLUMNS,
  COST_COLUMN,
  Elapsed,
  LongText,
  openTask,
  Progress,
  STATUS_COLUMN,
  textColumn,
} from "./task-columns.tsx";

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

type Data = Readonly<{ forAdmin: boolean }>;

const timesOf = ({ number }: Pick<FilterValues, "number">) => ({
  start: number("start") ?? startOfDay(new Date()),
  end: number("end") ?? 0,
});

function queryOf(values: FilterValues, { data }: Readonly<{ data: Data }>) {
  const { text, number } = values;
  const { start, end } = timesOf(values);
  return {
    ...(text("search") && { task_id: text("search").trim() }),
    ...(data.forAdmin && number("channel") && { channel_id: number("channel") }),
    ...(start && { start_timestamp: start }),
    ...(end && { end_timestamp: end }),
  };
}

/** Music and video tasks, by default since the start of today; the id opens the record. */
export const MEDIA_TASKS: ResourceList<MediaTask, ReturnType<typeof queryOf>, Data> = {
  text: (name) => (name.startsWith("columns.") ? `tasks.${name}` : `tasks.media.${name}`),
  icon: Music,
  rows: {
    key: [...WALLET_KEY, "media-tasks"],
    async read({ p, ...page }, signal, { forAdmin }) {
      const request = { query: { ...page, p: p - 1 }, fetch: { signal } };
      const { data, total } = await readEnvelope((forAdmin ? taskApi.task : taskApi.task.self).get(request));
      return { items: data, total };
    },
    pollMs: pollTasks,
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ task_id: id }) => id,
  unit: "tasks.unit",
  columns: [
    { key: "submitted", kind: "time", of: "submit_time", width: 110 },
    { key: "finished", kind: "time", of: "finish_time", width: 110 },
    {
      key: "progress",
      width: 100,
      isSolid: true,
      cell: ({ progress, status }) => <Progress isRound progress={progress} hasFailed={status === "FAILURE"} />,
    },
    {
      key: "elapsed",
      width: 80,
      cell: ({ submit_time, finish_time }) => <Elapsed seconds={elapsedSeconds(submit_time, finish_time)} />,
    },
    ...ADMIN_COLUMNS,
    { key: "platform", kind: "text", width: 90 },
    {
      key: "type",
      width: 110,
      cell: ({ action }, { t }) => {
        const known = ACTIONS.find((one) => one === action);
        return known ? t(`tasks.songs.${known}`) : action;
      },
    },
    {
      key: "id",
      isTitle: true,
      cell: (task, context) => (
        <LongText
          text={task.task_id}
          onOpen={() =>
            openTask(context, { title: task.task_id, kind: "record", content: JSON.stringify(task, null, 2) })
          }
        />
      ),
    },
    STATUS_COLUMN,
    COST_COLUMN,
    textColumn("reason", 180, ({ fail_reason: reason }) => reason),
  ],
  search: "tasks.filters.search",
  filters: TASK_FILTERS,
  filterTools: (_, { address }) => <TaskTimes address={address} {...timesOf(address)} />,
  empty: { title: "tasks.emptyTitle", body: "tasks.media.emptyBody" },
  useData: () => ({ forAdmin: useSeesAllUsers() }),
};

export const TaskLogPage = withRight("requests.read", () => <ListPage list={MEDIA_TASKS} />);
