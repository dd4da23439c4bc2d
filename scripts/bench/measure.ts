import { closedLoop, type LoadResult, openLoop, type Target, type Workload } from "./load/load.ts";
import { becomesQuiet, cpuMicroseconds, residentMib } from "./process-stats.ts";
import { percentile } from "./report/statistics.ts";

/** A process under measurement, and where to send calls to it. */
export type Subject = Readonly<{ name: string; pid: number; target: Target }>;

export type Cost = Readonly<{
  cpuUsPerRequest: number;
  requestsPerSecond: number;
  peakMib: number;
  requests: number;
  wrong: number;
}>;
export type Growth = Readonly<{ grownMib: number; requests: number; wrong: number }>;
export type Latency = Readonly<{ p50Ms: number; p99Ms: number; requests: number; wrong: number }>;

const MEMORY_SAMPLE_MS = 200;

/** CPU time per request of a busy process, including what it still writes after the last answer. */
export async function measureCost(
  subject: Subject,
  workload: Workload,
  load: Readonly<{ connections: number; seconds: number }>,
): Promise<Cost> {
  const before = cpuMicroseconds(subject.pid);
  let peakMib = residentMib(subject.pid);
  const sampler = setInterval(() => {
    peakMib = Math.max(peakMib, residentMib(subject.pid));
  }, MEMORY_SAMPLE_MS);
  const result = await closedLoop(subject.target, workload, load);
  await becomesQuiet(subject.pid);
  clearInterval(sampler);
  const { requests, wrong, seconds } = result;
  return {
    cpuUsPerRequest: (cpuMicroseconds(subject.pid) - before) / requests,
    requestsPerSecond: requests / seconds,
    peakMib,
    requests,
    wrong,
  };
}

/** Rests of an endurance run; an even number. */
const RESTS = 16;
/** Time for the runtime to give memory back. */
const GIVE_BACK_MS = 3000;

/**
 * What memory at rest grew by over `requests` calls: the least of the rests in the second half over the least of the first.
 * A few rests prove nothing, since the runtime gives memory back when it likes; what leaks never comes back.
 */
export async function measureGrowth(
  { pid, target }: Subject,
  workload: Workload,
  load: Readonly<{ connections: number; requests: number }>,
): Promise<Growth> {
  const maxRequests = Math.round(load.requests / RESTS);
  const restsMib: number[] = [];
  let requests = 0;
  let wrong = 0;
  while (restsMib.length < RESTS) {
    const run = await closedLoop(target, workload, { connections: load.connections, seconds: 600, maxRequests });
    requests += run.requests;
    wrong += run.wrong;
    await becomesQuiet(pid);
    await Bun.sleep(GIVE_BACK_MS);
    restsMib.push(residentMib(pid));
  }
  const first = Math.min(...restsMib.slice(0, RESTS / 2));
  return { grownMib: Math.min(...restsMib.slice(RESTS / 2)) - first, requests, wrong };
}

/** Latency with one call at a time. */
export async function measureAlone(target: Target, workload: Workload, maxRequests: number): Promise<Latency> {
  return summarize(await closedLoop(target, workload, { connections: 1, seconds: 30, maxRequests }));
}

/** Latency at a constant rate of calls, whatever the answers do. */
export async function measureAtRate(
  target: Target,
  workload: Workload,
  load: Readonly<{ perSecond: number; seconds: number }>,
): Promise<Latency> {
  return summarize(await openLoop(target, workload, load));
}

function summarize({ latenciesMs, requests, wrong }: LoadResult): Latency {
  return { p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99), requests, wrong };
}
