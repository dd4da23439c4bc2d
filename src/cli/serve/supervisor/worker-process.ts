import type { Readiness } from "../../../server/health/routes.ts";
import {
  isToSupervisor,
  PROTOCOL,
  type Topic,
  type ToSupervisor,
  type ToWorker,
  type WorkerStatus,
} from "../../../server/workers/messages.ts";
import type { MetricSnapshot } from "../../../server/workers/metric-snapshots.ts";

/** How long a worker may take to answer for a monitor. */
const ANSWER_WITHIN_MS = 3000;

type Handlers = Readonly<{
  /** What is not for the process itself. */
  receive(worker: WorkerProcess, message: ToSupervisor): void;
  /** It has ended, for whatever reason. */
  ended(worker: WorkerProcess, exitCode: number): void;
}>;

type Answer = readonly MetricSnapshot[] | Readiness;

const IDLE: WorkerStatus = { callsUnderWay: 0, memoryBytes: 0, lagMs: 0, backlog: 0 };

/** A worker as its supervisor sees it. */
export class WorkerProcess {
  readonly startedAt = Date.now();
  /** Resolves true when it takes calls, false when it ended before or speaks another protocol. */
  readonly started: Promise<boolean>;
  readonly exited: Promise<number>;
  /** As of its last report. */
  status: WorkerStatus = IDLE;
  counters: readonly MetricSnapshot[] = [];
  /** Its last message, or its start, on the clock of `performance.now()`. */
  lastReceivedAt = performance.now();
  isReady = false;
  /** It has taken calls, now or before. */
  hasServed = false;
  /** It has the order to stop. */
  isLeaving = false;
  readonly #child: Bun.Subprocess;
  readonly #started = Promise.withResolvers<boolean>();
  readonly #questions = new Map<number, (answer: Answer | null) => void>();
  #lastId = 0;

  /** Starts worker `number` of `workers` with the executable as it is on the disk now. */
  constructor(
    readonly number: number,
    workers: number,
    port: number,
    private readonly handlers: Handlers,
  ) {
    this.started = this.#started.promise;
    const program = Bun.isStandaloneExecutable ? [] : [process.argv[1] ?? ""];
    this.#child = Bun.spawn([process.execPath, ...program, "worker", ...[number, workers, port].map(String)], {
      stdio: ["ignore", "inherit", "inherit"],
      serialization: "json",
      ipc: (message: unknown) => {
        if (isToSupervisor(message)) this.#receive(message);
      },
    });
    this.exited = this.#child.exited.then((exitCode) => {
      this.#end(exitCode);
      return exitCode;
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  send(message: ToWorker): void {
    try {
      this.#child.send(message);
    } catch {
      // It has just ended, which is handled where it ends.
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Asks it; null without an answer in time. */
  async ask(topic: Topic): Promise<Answer | null> {
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const id = ++this.#lastId;
    this.#questions.set(id, resolve);
    const timer = setTimeout(() => resolve(null), ANSWER_WITHIN_MS);
    this.send({ type: "ask", id, topic });
    const answer = await promise;
    clearTimeout(timer);
    this.#questions.delete(id);
    return answer;
  }

  #receive(message: ToSupervisor): void {
    this.lastReceivedAt = performance.now();
    if (message.type === "ready") {
      this.isReady = message.protocol === PROTOCOL;
      this.hasServed = this.isReady;
      this.#started.resolve(this.isReady);
    } else if (message.type === "report") {
      this.status = message.status;
      this.counters = message.counters;
    } else if (message.type === "answer") this.#questions.get(message.id)?.(message.value);
    else this.handlers.receive(this, message);
  }

  #end(exitCode: number): void {
    this.isReady = false;
    this.#started.resolve(false);
    for (const resolve of this.#questions.values()) resolve(null);
    this.handlers.ended(this, exitCode);
  }
}
