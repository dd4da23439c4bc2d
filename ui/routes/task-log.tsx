import Music from "@mui/icons-material/MusicNoteOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readEnvelope } from "../api/client.ts";
import { taskApi } from "../api/groups.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { useSession } from "../features/session/session.tsx";
import { isAdmin } from "../features/session/stored-user.ts";
import { mediaColumns } from "../features/tasks/media-columns.tsx";
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
