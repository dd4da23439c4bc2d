import ScheduleOutlined from "@mui/icons-material/ScheduleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { JobState, JobView } from "../../../../src/server/jobs/list-job-runs.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { jobApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";

const REFRESH_MS = 5000;

/** Repeated work of all processes: the last run of each job and when it is due next. */
export const JobsPage = () => {
  const { t } = useTranslation();
  const list = useQuery(jobList);
  const client = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: async (name: string) => (await readEnvelope(jobApi({ name }).run.post())).message,
    onSuccess: notifyDone,
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: jobList.queryKey }),
  });
  const starting = isPending ? variables : null;
  const columns = useJobColumns(starting, mutate);
  const nameOf = useJobName();
  const model = useDataTable({ columns, rows: list.data?.jobs, rowId: ({ name }) => name, rowName: nameOf });
  return (
    <>
      <PageHeader title={t("jobs.title")} purpose={t("jobs.purpose")} />
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<EmptyState icon={<ScheduleOutlined />} title={t("jobs.none.title")} body={t("jobs.none.body")} />}
      />
    </>
  );
};

const jobList = queryOptions({
  queryKey: ["jobs"],
  refetchInterval: REFRESH_MS,
  queryFn: ({ signal }) => readData(jobApi.get({ fetch: { signal } })),
});

/** The name of a job in the reader's language. */
function useJobName(): ({ name }: JobView) => string {
  const { t } = useTranslation();
  return useCallback(({ name }) => t(`jobs.names.${name}`, { defaultValue: name }), [t]);
}

function useJobColumns(starting: string | null, run: (name: string) => void): readonly Column<JobView>[] {
  const { t } = useTranslation();
  const nameOf = useJobName();
  return useMemo(
    () => [
      { key: "name", head: t("jobs.columns.name"), isTitle: true, cell: nameOf },
      {
        key: "state",
        head: t("jobs.columns.state"),
        width: 132,
        isSolid: true,
        cell: (job) => <StateCell job={job} />,
      },
      {
        key: "started",
        head: t("jobs.columns.started"),
        width: 120,
        cell: ({ started_at }) => (started_at === null ? "–" : <TimeAgo seconds={started_at} />),
      },
      {
        key: "ended",
        head: t("jobs.columns.ended"),
        width: 120,
        isHiddenByDefault: true,
        cell: ({ ended_at }) => (ended_at === null ? "–" : <TimeAgo seconds={ended_at} />),
      },
      {
        key: "duration",
        head: t("jobs.columns.duration"),
        width: 96,
        align: "right",
        cell: ({ duration_ms }) => <span className="num">{formatDuration(duration_ms)}</span>,
      },
      {
        key: "next",
        head: t("jobs.columns.next"),
        width: 120,
        cell: ({ interval_s, next_due_at }) => {
          if (interval_s === 0) return t("jobs.off");
          return next_due_at === null ? "–" : <TimeAgo seconds={next_due_at} />;
        },
      },
      {
        key: "holder",
        head: t("jobs.columns.holder"),
        width: 200,
        cell: ({ holder, runs_on }) => {
          const scope = t(runs_on === "leader" ? "jobs.scope.leader" : "jobs.scope.every");
          return <span title={scope}>{holder || "–"}</span>;
        },
      },
      {
        key: "run",
        head: t("jobs.columns.run"),
        width: 124,
        isSolid: true,
        cell: ({ name, can_run, state }) =>
          can_run ? (
            <Button size="small" disabled={state === "running"} loading={starting === name} onClick={() => run(name)}>
              {t("jobs.run")}
            </Button>
          ) : (
            "–"
          ),
      },
    ],
    [t, nameOf, starting, run],
  );
}

const TONES: Readonly<Record<JobState, ToneName>> = {
  never: "idle",
  running: "info",
  succeeded: "ok",
  failed: "bad",
  abandoned: "warn",
};

const StateCell = ({ job: { state, error } }: { job: JobView }) => {
  const { t } = useTranslation();
  const why = state === "abandoned" ? t("jobs.abandonedWhy") : error;
  return (
    <StatusChip tone={TONES[state]} {...(why && { reason: <Box sx={{ overflowWrap: "anywhere" }}>{why}</Box> })}>
      {t(`jobs.states.${state}`)}
    </StatusChip>
  );
};
