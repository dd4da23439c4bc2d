import ScheduleOutlined from "@mui/icons-material/ScheduleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { JobState, JobView } from "../../../../src/server/jobs/list-job-runs.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { jobApi } from "../../../api/groups.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";

const REFRESH_MS = 5000;

const jobList = queryOptions({
  queryKey: ["jobs"],
  refetchInterval: REFRESH_MS,
  queryFn: ({ signal }) => readData(jobApi.get({ fetch: { signal } })),
});

const TONES: Readonly<Record<JobState, ToneName>> = {
  never: "idle",
  running: "info",
  succeeded: "ok",
  failed: "bad",
  abandoned: "warn",
};

type Data = Readonly<{
  /** The job that is being started. */
  starting: string | null;
  run: (name: string) => void;
}>;

/** Repeated work of all processes: the last run of each job and when it is due next. */
export const JOBS: ResourceList<JobView, object, Data> = {
  text: (name) => `jobs.${name}`,
  icon: ScheduleOutlined,
  rows: { useAll: () => useQuery({ ...jobList, select: ({ jobs }) => jobs }) },
  rowId: ({ name }) => name,
  rowName: nameOf,
  columns: [
    { key: "name", isTitle: true, fit: nameOf, cell: nameOf },
    {
      key: "state",
      kind: "status",
      width: 132,
      of({ state, error }, { t }) {
        const why = state === "abandoned" ? t("jobs.abandonedWhy") : error;
        return {
          tone: TONES[state],
          text: `jobs.states.${state}`,
          ...(why && { reason: <Box sx={{ overflowWrap: "anywhere" }}>{why}</Box> }),
        };
      },
    },
    { key: "started", kind: "time", of: "started_at", width: 104 },
    { key: "ended", kind: "time", of: "ended_at", width: 104 },
    { key: "duration", kind: "duration", of: "duration_ms", width: 96 },
    {
      key: "next",
      width: 104,
      cell({ interval_s: every, next_due_at: due }, { t }) {
        if (every === 0) return t("jobs.off");
        return due === null ? "–" : <TimeAgo seconds={due} />;
      },
    },
    {
      key: "holder",
      width: 200,
      fit: ({ holder }) => holder || "–",
      cell: ({ holder, runs_on: runsOn }, { t }) => (
        <span title={t(runsOn === "leader" ? "jobs.scope.leader" : "jobs.scope.every")}>{holder || "–"}</span>
      ),
    },
    {
      key: "run",
      width: 124,
      isSolid: true,
      cell: ({ name, can_run: canRun, state }, { t, data: { starting, run } }) =>
        canRun ? (
          <Button size="small" disabled={state === "running"} loading={starting === name} onClick={() => run(name)}>
            {t("jobs.run")}
          </Button>
        ) : (
          "–"
        ),
    },
  ],
  empty: { title: "jobs.none.title", body: "jobs.none.body" },
  useData() {
    const client = useQueryClient();
    const { mutate, isPending, variables } = useMutation({
      mutationFn: async (name: string) => (await readEnvelope(jobApi({ name }).run.post())).message,
      onSuccess: notifyDone,
      onError: notifyError,
      onSettled: () => client.invalidateQueries(jobList),
    });
    return { starting: isPending ? variables : null, run: mutate };
  },
};

/** The name of a job in the reader's language. */
function nameOf({ name }: JobView, { t }: ListContext<Data>) {
  return t(`jobs.names.${name}`, { defaultValue: name });
}

export const JobsPage = () => <ListPage list={JOBS} />;
