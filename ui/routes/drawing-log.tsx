import Brush from "@mui/icons-material/BrushOutlined";
import Alert from "@mui/material/Alert";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readEnvelope } from "../api/client.ts";
import { taskApi } from "../api/groups.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { useSession } from "../features/session/session.tsx";
import { isAdmin } from "../features/session/stored-user.ts";
import { drawingColumns } from "../features/tasks/drawing-columns.tsx";
import { type Opened, TaskDialog } from "../features/tasks/TaskDialog.tsx";
import { TaskFilters } from "../features/tasks/TaskFilters.tsx";
import { type DrawingTask, monthAgo, pollTasks } from "../features/tasks/task.ts";
import { PagedTable } from "../features/wallet/PagedTable.tsx";
import { useSite } from "../site-status.ts";

/** Drawing tasks, of the last 30 days unless asked otherwise: everybody's for administrators, one's own else. */
export const DrawingLogPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const forAdmin = isAdmin(useSession().user);
  const site = useSite();
  const [opened, setOpened] = useState<Opened | null>(null);
  const start = address.number("start") ?? monthAgo(new Date());
  const end = address.number("end") ?? 0;
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
