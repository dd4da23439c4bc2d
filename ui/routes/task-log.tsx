import Music from "@mui/icons-material/MusicNoteOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { useSession } from "../features/session/session.tsx";
import { isAdmin } from "../features/session/stored-user.ts";
import { mediaColumns } from "../features/tasks/media-columns.tsx";
import { readTasks } from "../features/tasks/read-tasks.ts";
import { type Opened, TaskDialog } from "../features/tasks/TaskDialog.tsx";
import { TaskFilters } from "../features/tasks/TaskFilters.tsx";
import { type MediaTask, pollTasks, startOfDay } from "../features/tasks/task.ts";
import { PagedTable } from "../features/wallet/PagedTable.tsx";

/** Music and video tasks since the start of today, unless another time is asked for. */
export const TaskLogPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const forAdmin = isAdmin(useSession().user);
  const [opened, setOpened] = useState<Opened | null>(null);
  const start = address.number("start") ?? startOfDay(new Date());
  const end = address.number("end") ?? 0;
  return (
    <>
      <PageHeader title={t("tasks.media.title")} purpose={t("tasks.media.purpose")} />
      <TaskFilters address={address} hasChannel={forAdmin} start={start} end={end} />
      <PagedTable<MediaTask>
        path={forAdmin ? "/api/task/" : "/api/task/self"}
        read={readTasks}
        filters={{
          ...(address.text("search") && { task_id: address.text("search").trim() }),
          ...(forAdmin && address.number("channel") && { channel_id: address.text("channel") }),
          ...(start && { start_timestamp: String(start) }),
          ...(end && { end_timestamp: String(end) }),
        }}
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
