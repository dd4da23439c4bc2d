import type { Registry } from "prom-client";
import type { LiveCall } from "../../domain/logs/live/call-feed.ts";
import type { RoutingNews } from "../../gateway/routing/worker-news.ts";
import { CountTable, createHostLimits } from "../../lib/limits/count-table.ts";
import { createHostSlots, type HostSlots, type SlotQuestion } from "../../lib/limits/host-slots.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import { atEndOfTurn } from "../../lib/runtime/tick.ts";
import type { Readiness } from "../health/routes.ts";
import { isToWorker, PROTOCOL, type Topic, type ToSupervisor, type ToWorker, type WorkerStatus } from "./messages.ts";
import { metricsText, readSnapshots } from "./metric-snapshots.ts";

/** What this process says of itself. */
export type WorkerSources = Readonly<{
  readiness(): Promise<Readiness>;
  metrics: Registry;
  /** Charges that are not in the database yet. */
  backlog(): number;
  /** Charges what processes that died have left. */
  adopt(): Promise<void>;
}>;

type StopOrder = Extract<ToWorker, { type: "stop" }>;
type Waiting = Readonly<{ sentAtMs: number; resolve(value: string | Readiness): void; reject(error: Error): void }>;
type Batch = {
  sentAtMs: number;
  /** Nobody waits for the answer any more. */
  isLate: boolean;
  questions: SlotQuestion[];
  resolve: ((isTaken: boolean) => void)[];
  reject: ((error: Error) => void)[];
};

const REPORT_MS = 1000;
const LAG_SAMPLE_MS = 100;
/** A supervisor that takes longer to count has stopped, and calls must not wait for it. */
const COUNT_WITHIN_MS = 1000;
/** It asks the other workers itself, and gives each of them 3 s. */
const GATHER_WITHIN_MS = 4000;

class SupervisorLost extends Error {
  override name = "SupervisorLost";
}

/** A worker's end of the line to its supervisor. */
export class HostLink {
  readonly limits: SharedLimits;
  readonly slots: HostSlots;
  #sources: WorkerSources | null = null;
  #callsUnderWay = () => 0;
  /** That came before anybody waited for one. */
  readonly #orders: StopOrder[] = [];
  #onOrder: ((order: StopOrder) => void) | null = null;
  readonly #waiting = new Map<number, Waiting>();
  readonly #batches = new Map<number, Batch>();
  #batch: Batch | null = null;
  #lastId = 0;
  #isLost = false;
  /** An answer is late; until the supervisor says something again, each worker counts for itself. */
  #isSilent = false;
  #lagMs = 0;
  #onRouting = (_worker: number, _news: RoutingNews | null) => {};
  #onCalls = (_: readonly LiveCall[]) => {};
  #onWatched = (_: boolean) => {};

  /**
   * `worker`: its number on this host; `dataDir`: for which the supervisor has made the table of limits. The process must have
   * been started by a supervisor.
   */
  constructor(
    readonly worker: number,
    dataDir: string,
  ) {
    this.limits = createHostLimits(new CountTable(dataDir));
    this.slots = createHostSlots((question) => this.#count(question));
    process.on("message", (message: unknown) => {
      if (isToWorker(message)) this.#receive(message);
    });
    process.on("disconnect", () => this.#lose());
    this.#watchTime();
  }

  /** Says where the figures of this process come from; later ones take the place of earlier ones. */
  attach(sources: WorkerSources): void {
    this.#sources = sources;
  }

  /** This process takes calls now; from here on it reports once a second. */
  ready(callsUnderWay: () => number): void {
    this.#callsUnderWay = callsUnderWay;
    this.#send({ type: "ready", protocol: PROTOCOL });
    setInterval(() => void this.report(), REPORT_MS).unref();
    void this.report();
  }

  /** Resolves with the next order to stop; one at a time may be waited for. */
  nextStop(): Promise<StopOrder> {
    const early = this.#orders.shift();
    if (early) return Promise.resolve(early);
    const { promise, resolve } = Promise.withResolvers<StopOrder>();
    this.#onOrder = resolve;
    return promise;
  }

  /** What all workers of the host say, as one; rejects when the supervisor has ended or does not answer. */
  readiness(): Promise<Readiness> {
    return this.#gather("readiness").then((value) =>
      typeof value === "string" ? { ready: false, degraded: [value] } : value,
    );
  }

  /** The metrics of all workers in Prometheus' text format; only those of this process when the supervisor does not answer. */
  async metricsText(): Promise<string> {
    const text = await this.#gather("metrics").catch(() => null);
    return typeof text === "string" ? text : metricsText(await this.#snapshots());
  }

  /** Sends how this process is doing. Never rejects. */
  async report(): Promise<void> {
    const status: WorkerStatus = {
      callsUnderWay: this.#callsUnderWay(),
      memoryBytes: process.memoryUsage.rss(),
      lagMs: Math.round(this.#lagMs),
      backlog: this.#sources?.backlog() ?? 0,
    };
    this.#lagMs = 0;
    const counters = this.#sources ? await readSnapshots(this.#sources.metrics, "counters") : [];
    this.#send({ type: "report", status, counters });
  }

  /** Joins the live feed of this process with those of the others. */
  joinFeed(parts: Readonly<{ receive(calls: readonly LiveCall[]): void; onWatched(isWatched: boolean): void }>): void {
    this.#onCalls = parts.receive;
    this.#onWatched = parts.onWatched;
  }

  /** Sends the others whether somebody watches here. */
  sendWatched(isWatched: boolean): void {
    this.#send({ type: "watch", isWatched });
  }

  /** Hands calls on to where somebody watches. */
  sendCalls(calls: readonly LiveCall[]): void {
    this.#send({ type: "calls", calls });
  }

  /** Joins what this process knows of channels with what the others know. */
  joinRouting(receive: (worker: number, news: RoutingNews | null) => void): void {
    this.#onRouting = receive;
  }

  shareRouting(news: RoutingNews): void {
    this.#send({ type: "routing", worker: this.worker, news });
  }

  #receive(message: ToWorker): void {
    this.#isSilent = false;
    if (message.type === "stop") this.#order(message);
    else if (message.type === "adopt") void this.#sources?.adopt().catch(() => {});
    else if (message.type === "ask") void this.#answer(message.id, message.topic);
    else if (message.type === "gathered") this.#resolveGathered(message.id, message.value);
    else if (message.type === "counted") this.#resolveCounted(message.id, message.taken);
    else if (message.type === "routing") this.#onRouting(message.worker, message.news);
    else if (message.type === "watch") this.#onWatched(message.isWatched);
    else this.#onCalls(message.calls);
  }

  #order(order: StopOrder): void {
    if (!this.#onOrder) this.#orders.push(order);
    else {
      this.#onOrder(order);
      this.#onOrder = null;
    }
  }

  #snapshots = () => (this.#sources ? readSnapshots(this.#sources.metrics, "all") : Promise.resolve([]));

  async #answer(id: number, topic: Topic): Promise<void> {
    const starting: Readiness = { ready: false, degraded: ["starting"] };
    const value = topic === "metrics" ? await this.#snapshots() : await (this.#sources?.readiness() ?? starting);
    this.#send({ type: "answer", id, value });
  }

  #gather(topic: Topic): Promise<string | Readiness> {
    const { promise, resolve, reject } = Promise.withResolvers<string | Readiness>();
    if (this.#isLost || this.#isSilent) reject(new SupervisorLost("the supervisor does not answer"));
    else {
      const id = ++this.#lastId;
      this.#waiting.set(id, { sentAtMs: performance.now(), resolve, reject });
      this.#send({ type: "gather", id, topic });
    }
    return promise;
  }

  #resolveGathered(id: number, value: string | Readiness): void {
    this.#waiting.get(id)?.resolve(value);
    this.#waiting.delete(id);
  }

  /** All questions of one turn of the event loop go in one message. */
  #count(question: SlotQuestion): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    // A place that was counted is always given back.
    if (this.#isLost || (this.#isSilent && question[0] !== "leave")) reject(new SupervisorLost("nobody counts"));
    else {
      if (!this.#batch) {
        this.#batch = { sentAtMs: 0, isLate: false, questions: [], resolve: [], reject: [] };
        atEndOfTurn(() => this.#sendBatch());
      }
      this.#batch.questions.push(question);
      this.#batch.resolve.push(resolve);
      this.#batch.reject.push(reject);
    }
    return promise;
  }

  #sendBatch(): void {
    const batch = this.#batch;
    this.#batch = null;
    if (!batch) return;
    const id = ++this.#lastId;
    batch.sentAtMs = performance.now();
    this.#batches.set(id, batch);
    this.#send({ type: "count", id, questions: batch.questions });
  }

  #resolveCounted(id: number, taken: readonly boolean[]): void {
    const batch = this.#batches.get(id);
    this.#batches.delete(id);
    if (batch?.isLate) this.#leaveUnused(batch, taken);
    batch?.resolve.forEach((resolve, at) => {
      resolve(taken[at] ?? true);
    });
  }

  /** Gives back the places that were taken for calls which did not wait for them. */
  #leaveUnused({ questions }: Batch, taken: readonly boolean[]): void {
    for (const [at, [action, name, , key]] of questions.entries()) {
      if (action === "enter" && taken[at]) this.#count(["leave", name, 0, key]).catch(() => {});
    }
  }

  /** Lets nobody wait any longer for answers that are late. */
  #rejectLate(nowMs: number): void {
    const silent = new SupervisorLost("the supervisor does not answer");
    for (const batch of this.#batches.values()) {
      if (batch.isLate || nowMs - batch.sentAtMs < COUNT_WITHIN_MS) continue;
      batch.isLate = true;
      this.#isSilent = true;
      for (const reject of batch.reject) reject(silent);
    }
    for (const [id, { sentAtMs, reject }] of this.#waiting) {
      if (nowMs - sentAtMs < GATHER_WITHIN_MS) continue;
      this.#waiting.delete(id);
      this.#isSilent = true;
      reject(silent);
    }
  }

  #send(message: ToSupervisor): void {
    if (this.#isLost) return;
    try {
      process.send?.(message);
    } catch {
      this.#lose();
    }
  }

  /**
   * Without a supervisor there is nobody to start this process again: it stops listening at once, which leaves the port to
   * the next supervisor, finishes its calls and ends.
   */
  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const lost = new SupervisorLost("the supervisor has ended");
    for (const { reject } of this.#waiting.values()) reject(lost);
    for (const { reject } of this.#batches.values()) for (const each of reject) each(lost);
    if (this.#batch) for (const each of this.#batch.reject) each(lost);
    this.#waiting.clear();
    this.#batches.clear();
    this.#batch = null;
    this.#order({ type: "stop", reason: "orphaned", workers: 1 });
  }

  /** Measures how late the event loop is, and looks for answers that are. */
  #watchTime(): void {
    let due = performance.now() + LAG_SAMPLE_MS;
    setInterval(() => {
      const now = performance.now();
      this.#lagMs = Math.max(this.#lagMs, now - due);
      due = now + LAG_SAMPLE_MS;
      this.#rejectLate(now);
    }, LAG_SAMPLE_MS).unref();
  }
}
