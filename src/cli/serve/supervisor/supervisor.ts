import { CountTable, makeCountTable } from "../../../lib/limits/count-table.ts";
import { SlotCounter } from "../../../lib/limits/host-slots.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Readiness } from "../../../server/health/routes.ts";
import { PROTOCOL, type Topic, type ToSupervisor, type WorkerStatus } from "../../../server/workers/messages.ts";
import {
  addCounters,
  type MetricSnapshot,
  metricsText,
  sum,
  withLabel,
} from "../../../server/workers/metric-snapshots.ts";
import { WorkerProcess } from "./worker-process.ts";

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
async function hostMetrics({ workers, expected, ended, restarts }: HostState): Promise<string> {
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

/**
 * The host is ready when one of its workers is, and less than half of those that listen leave their calls waiting. What is wrong
 * with any of them is listed once.
 */
async function hostReadiness({ workers, expected }: Omit<HostState, "ended" | "restarts">): Promise<Readiness> {
  const staying = workers.filter(({ isLeaving }) => !isLeaving);
  const chosen = staying.length > 0 ? staying : workers;
  const listening = chosen.filter(({ isReady }) => isReady);
  const answers = await Promise.all(chosen.map((worker) => worker.ask("readiness")));
  const known = answers.filter(isReadiness);
  const hanging = listening.filter((worker) => worker.isReady && answers[chosen.indexOf(worker)] === null).length;
  const degraded = new Set(known.flatMap((answer) => answer.degraded));
  const ready = known.filter((answer) => answer.ready).length;
  if (ready < expected) degraded.add(`workers: ${ready} of ${expected} take calls`);
  return { ready: ready > 0 && hanging * 2 < listening.length, degraded: [...degraded] };
}

const isReadiness = (answer: readonly MetricSnapshot[] | Readiness | null): answer is Readiness =>
  answer !== null && "ready" in answer;

const isSnapshots = (answer: readonly MetricSnapshot[] | Readiness | null): answer is readonly MetricSnapshot[] =>
  Array.isArray(answer);

/** Between the end of a worker and the start of the next: doubled with each one in a row that ended before it served. */
const BACKOFF_MS = { first: 100, most: 30_000 };
/** While no worker serves, so many starts in a row that fail mean that none will succeed. */
const MOST_FAILED_STARTS = 6;
/** A worker reports once a second. One that does not for so long hangs, with its share of the new connections. */
const SILENT_MS = 5000;
const LOOK_MS = 1000;
/** How long a new worker may take until it serves, migrations included. */
const START_WITHIN_MS = 120_000;

type WorkerView = WorkerStatus & Readonly<{ number: number; pid: number; state: string; uptimeSeconds: number }>;
export type HostView = Readonly<{ pid: number; expected: number; restarts: number; workers: readonly WorkerView[] }>;

/** Replacing the workers failed; those that are left go on. */
class ReloadError extends Error {
  override name = "ReloadError";
}

type Parts = Readonly<{ expected: number; port: number; dataDir: string; log: Logger }>;

/** Keeps a number of workers running, counts for them, and answers for all of them. */
export class Supervisor {
  #workers: WorkerProcess[] = [];
  readonly #slots = new SlotCounter();
  readonly #limits: CountTable;
  readonly #ended = new Map<number, readonly MetricSnapshot[]>();
  readonly #watching = new Set<number>();
  readonly #restartTimers = new Set<Timer>();
  readonly #over = Promise.withResolvers<void>();
  #lookedAt = performance.now();
  readonly #looking = setInterval(() => this.#lookForHanging(), LOOK_MS);
  #restarts = 0;
  #failedStarts = 0;
  #isStopping = false;
  /** No worker starts: the supervisor ends with this. */
  #failure: number | null = null;
  #reloading: Promise<number> | null = null;

  /** Makes the table of limits; throws when there is no space for it. */
  constructor(private readonly parts: Parts) {
    makeCountTable(parts.dataDir);
    this.#limits = new CountTable(parts.dataDir);
  }

  /** Starts the workers: one first, which brings the database up to date. Resolves with its exit code if that one fails. */
  async start(): Promise<number | null> {
    const first = this.#spawn();
    if (!(await first.started)) return this.#isStopping ? 0 : (await first.exited) || 1;
    while (!this.#isStopping && this.#workers.length < this.parts.expected) this.#spawn();
    await Promise.all(this.#workers.map(({ started }) => started));
    return null;
  }

  view(): HostView {
    const { expected } = this.parts;
    const workers = this.#workers.map((worker) => ({
      number: worker.number,
      pid: worker.pid,
      state: worker.isLeaving ? "leaving" : worker.isReady ? "ready" : "starting",
      uptimeSeconds: Math.round((Date.now() - worker.startedAt) / 1000),
      ...worker.status,
    }));
    return { pid: process.pid, expected, restarts: this.#restarts, workers };
  }

  /** Replaces the workers one by one, each once another one takes calls. Resolves with how many. Rejects ReloadError. */
  reload(): Promise<number> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null;
    });
    return this.#reloading;
  }

  /** Tells all workers to stop; called again, to hurry. */
  stop(): void {
    this.#isStopping = true;
    for (const timer of this.#restartTimers) clearTimeout(timer);
    for (const worker of this.#workers) this.#dismiss(worker, "shutdown");
    this.#endIfLast();
  }

  /**
   * Resolves when it was stopped and no worker is left: null, or the exit code of the last of too many workers that could not
   * start. Whatever else ends workers, others take their places.
   */
  async ended(): Promise<number | null> {
    await this.#over.promise;
    return this.#failure;
  }

  #endIfLast(): void {
    if (!this.#isStopping || this.#workers.length > 0) return;
    clearInterval(this.#looking);
    this.#over.resolve();
  }

  /** Ends workers that hang; the system would go on giving them connections. */
  #lookForHanging(): void {
    const now = performance.now();
    // After a pause of the machine, or of this process, all of them seem to have been silent.
    const wasAway = now - this.#lookedAt > 2 * LOOK_MS;
    this.#lookedAt = now;
    for (const worker of this.#workers) {
      if (wasAway) worker.lastReceivedAt = now;
      if (!worker.isReady || now - worker.lastReceivedAt < SILENT_MS) continue;
      this.parts.log.error({ worker: worker.number, pid: worker.pid }, "a worker hangs and is ended");
      worker.lastReceivedAt = now;
      worker.kill();
    }
  }

  async #reload(): Promise<number> {
    const { log } = this.parts;
    let replaced = 0;
    for (const old of this.#workers.filter(({ isLeaving }) => !isLeaving)) {
      if (this.#isStopping) break;
      const next = this.#spawn();
      const timer = setTimeout(() => next.kill(), START_WITHIN_MS);
      const isServing = await next.started;
      clearTimeout(timer);
      if (this.#isStopping) break;
      if (!isServing) {
        this.#discard(next);
        throw new ReloadError(
          `worker ${next.number} did not start, so the others stay as they are: see its lines in the log. A release with another protocol than ${PROTOCOL} needs a restart`,
        );
      }
      log.info({ from: old.number, to: next.number }, "a worker is replaced");
      this.#dismiss(old, "reload");
      await old.exited;
      replaced += 1;
    }
    return replaced;
  }

  #spawn(): WorkerProcess {
    const { expected, port } = this.parts;
    const worker = new WorkerProcess(this.#freeNumber(), expected, port, {
      receive: (from, message) => this.#receive(from, message),
      ended: (worker, exitCode) => this.#end(worker, exitCode),
    });
    this.#workers.push(worker);
    void worker.started.then((isServing) => {
      if (isServing && this.#watching.size > 0) worker.send({ type: "watch", isWatched: true });
    });
    return worker;
  }

  #freeNumber(): number {
    const taken = new Set(this.#workers.map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
  }

  #dismiss(worker: WorkerProcess, reason: "shutdown" | "reload"): void {
    worker.isLeaving = true;
    worker.send({ type: "stop", reason, workers: this.#workers.length });
  }

  /** A worker that does not serve is ended, and not replaced. */
  #discard(worker: WorkerProcess): void {
    worker.isLeaving = true;
    worker.kill();
  }

  #end(worker: WorkerProcess, exitCode: number): void {
    const { log, expected } = this.parts;
    this.#workers = this.#workers.filter((other) => other !== worker);
    this.#ended.set(worker.number, addCounters(this.#ended.get(worker.number) ?? [], worker.counters));
    this.#slots.forgetProcess(worker.pid);
    this.#limits.releaseLocks(worker.pid);
    this.#watch(worker, false);
    for (const other of this.#workers) other.send({ type: "routing", worker: worker.number, news: null });
    this.#endIfLast();
    if (worker.isLeaving || this.#isStopping) return;
    log.error({ worker: worker.number, pid: worker.pid, exitCode }, "a worker has ended by itself");
    // What it left unwritten is charged by another one at once, not when the next one starts.
    this.#workers.find(({ isReady, isLeaving }) => isReady && !isLeaving)?.send({ type: "adopt" });
    this.#failedStarts = worker.hasServed ? 0 : this.#failedStarts + 1;
    if (this.#failedStarts >= MOST_FAILED_STARTS && !this.#workers.some(({ isReady }) => isReady)) {
      log.fatal({ exitCode }, `no worker can start: ${this.#failedStarts} in a row have ended before they served`);
      this.#failure = exitCode || 1;
      this.stop();
      return;
    }
    const delayMs = Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** Math.max(0, this.#failedStarts - 1));
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer);
      if (this.#isStopping || this.#workers.length >= expected) return;
      this.#restarts += 1;
      this.#spawn();
    }, delayMs);
    this.#restartTimers.add(timer);
  }

  #receive(from: WorkerProcess, message: ToSupervisor): void {
    if (message.type === "count") {
      const taken = message.questions.map((question) => this.#slots.count(question, from.pid));
      from.send({ type: "counted", id: message.id, taken });
    } else if (message.type === "gather") void this.#gather(from, message.id, message.topic);
    else if (message.type === "watch") this.#watch(from, message.isWatched);
    else if (message.type === "calls") {
      for (const worker of this.#workers) if (worker !== from && this.#watching.has(worker.pid)) worker.send(message);
    } else if (message.type === "routing") {
      for (const worker of this.#workers) if (worker !== from && worker.isReady) worker.send(message);
    }
  }

  async #gather(from: WorkerProcess, id: number, topic: Topic): Promise<void> {
    const state = {
      ...{ workers: this.#workers, expected: this.parts.expected },
      ...{ ended: this.#ended, restarts: this.#restarts },
    };
    from.send({ type: "gathered", id, value: await (topic === "metrics" ? hostMetrics(state) : hostReadiness(state)) });
  }

  /** Calls are sent on only while somebody watches, and all workers know whether. */
  #watch({ pid }: WorkerProcess, isWatched: boolean): void {
    const before = this.#watching.size > 0;
    if (isWatched) this.#watching.add(pid);
    else this.#watching.delete(pid);
    const after = this.#watching.size > 0;
    if (before !== after) for (const worker of this.#workers) worker.send({ type: "watch", isWatched: after });
  }
}
