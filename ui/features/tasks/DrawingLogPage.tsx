import Brush from "@mui/icons-material/BrushOutlined";
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useSeesAllUsers } from "../../api/accounts/use-organization.ts";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { readEnvelope } from "../../api/client.ts";
import { taskApi } from "../../api/groups.ts";
import { ListPage } from "../../components/page/list/ListPage.tsx";
import type { FilterValues, ResourceList } from "../../components/page/list/resource-list.ts";
import { withRight } from "../../components/page/with-right.tsx";
import { sitePath } from "../../lib/base-path.ts";
import { useSite } from "../../state/site-status.ts";
import { TASK_FILTERS, TaskTimes } from "./TaskFilters.tsx";
import { type DrawingTask, elapsedSeconds, hourAhead, isSlowDrawing, monthAgo, pollTasks } from "./task.ts";
import { ADMIN_COLUMNS, COST_COLUMN, Elapsed, openTask, Progress, STATUS_COLUMN, textColumn } from "./task-columns.tsx";

const ACTIONS = [
  "IMAGINE",
  "UPSCALE",
  "VARIATION",
  "HIGH_VARIATION",
  "LOW_VARIATION",
  "PAN",
  "DESCRIBE",
  "BLEND",
  "UPLOAD",
  "SHORTEN",
  "REROLL",
  "INPAINT",
  "ZOOM",
  "CUSTOM_ZOOM",
  "MODAL",
  "SWAP_FACE",
  "EDITS",
  "VIDEO",
] as const;
const CODES = [0, 1, 21, 22] as const;

type Data = Readonly<{
  forAdmin: boolean;
  /** The service does not call back, and the reader can change that. */
  isSilent: boolean;
}>;

const timesOf = ({ number }: Pick<FilterValues, "number">) => ({
  start: number("start") ?? monthAgo(new Date()),
  end: number("end") ?? hourAhead(new Date()),
});

function queryOf(values: FilterValues, { data }: Readonly<{ data: Data }>) {
  const { text, number } = values;
  const { start, end } = timesOf(values);
  return {
    ...(text("search") && { mj_id: text("search").trim() }),
    ...(data.forAdmin && number("channel") && { channel_id: number("channel") }),
    ...(start && { start_timestamp: start * 1000 }),
    ...(end && { end_timestamp: end * 1000 }),
  };
}

/** Drawing tasks, by default of the last 30 days: all users' for administrators, else the user's own. */
export const DRAWING_TASKS: ResourceList<DrawingTask, ReturnType<typeof queryOf>, Data> = {
  text: (name) => (name.startsWith("columns.") ? `tasks.${name}` : `tasks.drawing.${name}`),
  icon: Brush,
  rows: {
    key: [...WALLET_KEY, "drawings"],
    async read({ p, ...page }, signal, { forAdmin }) {
      const request = { query: { ...page, p: p - 1 }, fetch: { signal } };
      const { data, total } = await readEnvelope((forAdmin ? taskApi.mj : taskApi.mj.self).get(request));
      return { items: data, total };
    },
    pollMs: pollTasks,
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ mj_id: id }) => id,
  unit: "tasks.unit",
  columns: [
    { key: "submitted", kind: "time", width: 110, of: ({ submit_time: ms }) => ms / 1000 },
    {
      key: "elapsed",
      width: 80,
      cell: ({ submit_time, finish_time }) => {
        const seconds = elapsedSeconds(submit_time / 1000, finish_time / 1000);
        return <Elapsed seconds={seconds} isSlow={isSlowDrawing(seconds)} />;
      },
    },
    ...ADMIN_COLUMNS,
    {
      key: "type",
      width: 110,
      cell: ({ action }, { t }) => {
        const known = ACTIONS.find((one) => one === action);
        return known ? t(`tasks.drawings.${known}`) : action;
      },
    },
    { key: "id", isTitle: true, cell: ({ mj_id: id }) => <span className="mono">{id}</span> },
    {
      key: "result",
      width: 110,
      cell: ({ code }, { t }) => {
        const known = CODES.find((one) => one === code);
        return known === undefined ? code : t(`tasks.codes.${known}`);
      },
    },
    STATUS_COLUMN,
    {
      key: "progress",
      width: 130,
      isSolid: true,
      cell: ({ progress, status }) => <Progress progress={progress} hasFailed={status === "FAILURE"} />,
    },
    {
      key: "image",
      width: 84,
      isSolid: true,
      cell: ({ image_url: address, mj_id: title }, context) =>
        address ? (
          <Button size="small" onClick={() => openTask(context, { title, kind: "image", content: sitePath(address) })}>
            {context.t("tasks.view")}
          </Button>
        ) : (
          "–"
        ),
    },
    COST_COLUMN,
    textColumn("prompt", 150, ({ prompt }) => prompt),
    textColumn("promptEn", 150, ({ prompt_en: prompt }) => prompt),
    textColumn("reason", 130, ({ fail_reason: reason }) => reason),
  ],
  search: "tasks.filters.search",
  filters: TASK_FILTERS,
  filterTools: (_, { address }) => <TaskTimes address={address} {...timesOf(address)} />,
  empty: { title: "tasks.emptyTitle", body: "tasks.drawing.emptyBody" },
  above: ({ t, data: { isSilent } }) =>
    isSilent && (
      <Alert severity="info" sx={{ mb: 3 }}>
        {t("tasks.drawing.noNotify")}
      </Alert>
    ),
  useData() {
    const forAdmin = useSeesAllUsers();
    const hasNoNotices = useSite()?.mj_notify_enabled === false;
    return { forAdmin, isSilent: forAdmin && hasNoNotices };
  },
};

export const DrawingLogPage = withRight("requests.read", () => <ListPage list={DRAWING_TASKS} />);
