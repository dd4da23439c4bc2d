import Brush from "@mui/icons-material/BrushOutlined";
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
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
import { sitePath } from "../../lib/base-path.ts";
import { useSite } from "../../state/site-status.ts";
import { type Opened, TaskDialog } from "./TaskDialog.tsx";
import { TaskFilters } from "./TaskFilters.tsx";
import { type DrawingTask, elapsedSeconds, hourAhead, isSlowDrawing, monthAgo, pollTasks } from "./task.ts";
import { commonColumns, Elapsed, Moment, Progress } from "./task-columns.tsx";

/** Drawing tasks, by default of the last 30 days: all users' for administrators, else the user's own. */
const DrawingLogContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const forAdmin = useSeesAllUsers();
  const site = useSite();
  const [opened, setOpened] = useState<Opened | null>(null);
  const start = address.number("start") ?? monthAgo(new Date());
  const end = address.number("end") ?? hourAhead(new Date());
  const filters = {
    ...(address.text("search") && { mj_id: address.text("search").trim() }),
    ...(forAdmin && address.number("channel") && { channel_id: address.number("channel") }),
    ...(start && { start_timestamp: start * 1000 }),
    ...(end && { end_timestamp: end * 1000 }),
  };
  return (
    <>
      <PageHeader title={t("tasks.drawing.title")} purpose={t("tasks.drawing.purpose")} />
      {forAdmin && site?.mj_notify_enabled === false && (
        <Alert severity="info" sx={{ mb: 3 }}>
          {t("tasks.drawing.noNotify")}
        </Alert>
      )}
      <TaskFilters address={address} hasChannel={forAdmin} start={start} end={end} />
      <PagedTable<DrawingTask>
        name="drawings"
        read={async ({ p, ...page }, signal) => {
          const query = { ...filters, ...page, p: p - 1 };
          const { data, total } = await readEnvelope(
            (forAdmin ? taskApi.mj : taskApi.mj.self).get({ query, fetch: { signal } }),
          );
          return { items: data, total };
        }}
        filters={filters}
        columns={drawingColumns(t, forAdmin, setOpened)}
        rowId={({ id }) => id}
        rowName={({ mj_id }) => mj_id}
        unit={t("tasks.unit")}
        empty={<EmptyState icon={<Brush />} title={t("tasks.emptyTitle")} body={t("tasks.drawing.emptyBody")} />}
        pollMs={pollTasks}
      />
      {opened && <TaskDialog opened={opened} onClose={() => setOpened(null)} />}
    </>
  );
};

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

/** The columns of drawing tasks; `open` shows the full text of a cell. */
function drawingColumns(t: TFunction, isAdmin: boolean, open: (opened: Opened) => void): Column<DrawingTask>[] {
  const { ofAdmins, status, cost, text } = commonColumns<DrawingTask>(t, isAdmin, open);
  return [
    {
      key: "submitted",
      head: t("tasks.columns.submitted"),
      width: 110,
      cell: ({ submit_time }) => <Moment seconds={submit_time / 1000} />,
    },
    {
      key: "elapsed",
      head: t("tasks.columns.elapsed"),
      width: 80,
      cell: ({ submit_time, finish_time }) => {
        const seconds = elapsedSeconds(submit_time / 1000, finish_time / 1000);
        return <Elapsed seconds={seconds} isSlow={isSlowDrawing(seconds)} />;
      },
    },
    ...ofAdmins,
    {
      key: "type",
      head: t("tasks.columns.type"),
      width: 110,
      cell: ({ action }) => {
        const known = ACTIONS.find((one) => one === action);
        return known ? t(`tasks.drawings.${known}`) : action;
      },
    },
    {
      key: "id",
      head: t("tasks.columns.id"),
      isTitle: true,
      cell: ({ mj_id }) => <span className="mono">{mj_id}</span>,
    },
    {
      key: "result",
      head: t("tasks.columns.result"),
      width: 110,
      cell: ({ code }) => {
        const known = CODES.find((one) => one === code);
        return known === undefined ? code : t(`tasks.codes.${known}`);
      },
    },
    status,
    {
      key: "progress",
      head: t("tasks.columns.progress"),
      width: 130,
      isSolid: true,
      cell: ({ progress, status }) => <Progress progress={progress} hasFailed={status === "FAILURE"} />,
    },
    {
      key: "image",
      head: t("tasks.columns.image"),
      width: 84,
      isSolid: true,
      cell: ({ image_url, mj_id }) =>
        image_url ? (
          <Button size="small" onClick={() => open({ title: mj_id, kind: "image", content: sitePath(image_url) })}>
            {t("tasks.view")}
          </Button>
        ) : (
          "–"
        ),
    },
    cost,
    text("prompt", 150, ({ prompt }) => prompt),
    text("promptEn", 150, ({ prompt_en }) => prompt_en),
    text("reason", 130, ({ fail_reason }) => fail_reason),
  ];
}

export const DrawingLogPage = withRight("requests.read", DrawingLogContent);
