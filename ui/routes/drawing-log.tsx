import Brush from "@mui/icons-material/BrushOutlined";
import Alert from "@mui/material/Alert";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { useSession } from "../features/session/session.tsx";
import { isAdmin } from "../features/session/stored-user.ts";
import { drawingColumns } from "../features/tasks/drawing-columns.tsx";
import { readTasks } from "../features/tasks/read-tasks.ts";
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
        path={forAdmin ? "/api/mj/" : "/api/mj/self"}
        read={readTasks}
        filters={{
          ...(address.text("search") && { mj_id: address.text("search").trim() }),
          ...(forAdmin && address.number("channel") && { channel_id: address.text("channel") }),
          ...(start && { start_timestamp: String(start * 1000) }),
          ...(end && { end_timestamp: String(end * 1000) }),
        }}
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
