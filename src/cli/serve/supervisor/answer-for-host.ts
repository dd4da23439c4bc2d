import type { Readiness } from "../../../server/health/routes.ts";
import { type MetricSnapshot, metricsText, sum, withLabel } from "../../../server/workers/metric-snapshots.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** The workers of this host, as monitors see them. */
type HostState = Readonly<{
  workers: readonly WorkerProcess[];
  /** How many there should be. */
  expected: number;
  /** Counters of processes that have ended, by the number of the worker. */
  ended: ReadonlyMap<number, readonly MetricSnapshot[]>;
  /** Workers that were started again because they had ended by themselves. */
  restarts: number;
}>;

/** Metrics of all workers with a label `worker`; counters go on where a worker took the place of another. */
export async function hostMetrics({ workers, expected, ended, restarts }: HostState): Promise<string> {
  const snapshots = await Promise.all(
    workers.map(async (worker) => {
      const answer = await worker.ask("metrics");
      // One that is busy or starting is shown as it was at its last report.
      return withLabel(isSnapshots(answer) ? answer : worker.counters, "worker", String(worker.number));
    }),
  );
  const earlier = [...ended].map(([number, counters]) => withLabel(counters, "worker", String(number)));
  return metricsText([...ownMetrics(workers, expected, restarts), ...sum([...snapshots, ...earlier].flat())]);
}

function ownMetrics(workers: readonly WorkerProcess[], expected: number, restarts: number): MetricSnapshot[] {
  const single = (name: string, type: string, help: string, value: number): MetricSnapshot => ({
    ...{ name, type, help },
    values: [{ value, labels: {} }],
  });
  const running = workers.filter(({ isReady, isLeaving }) => isReady && !isLeaving).length;
  return [
    single("sluice_workers", "gauge", "Workers that take calls", running),
    single("sluice_workers_expected", "gauge", "Workers that there should be", expected),
    single("sluice_worker_restarts_total", "counter", "Workers that ended by themselves and were replaced", restarts),
  ];
}

/** The host is ready when one of its workers is; what is wrong with any of them is listed once. */
export async function hostReadiness({ workers, expected }: Omit<HostState, "ended" | "restarts">): Promise<Readiness> {
  const staying = workers.filter(({ isLeaving }) => !isLeaving);
  const chosen = staying.length > 0 ? staying : workers;
  const answers = await Promise.all(chosen.map((worker) => worker.ask("readiness")));
  const known = answers.filter(isReadiness);
  const degraded = new Set(known.flatMap((answer) => answer.degraded));
  const ready = known.filter((answer) => answer.ready).length;
  if (ready < expected) degraded.add(`workers: ${ready} of ${expected} take calls`);
  return { ready: ready > 0, degraded: [...degraded] };
}

const isReadiness = (answer: readonly MetricSnapshot[] | Readiness | null): answer is Readiness =>
  answer !== null && "ready" in answer;

const isSnapshots = (answer: readonly MetricSnapshot[] | Readiness | null): answer is readonly MetricSnapshot[] =>
  Array.isArray(answer);
