import type { LiveCall } from "../../domain/logs/live/call-feed.ts";
import type { RoutingNews } from "../../gateway/routing/worker-news.ts";
import type { SlotQuestion } from "../../lib/limits/host-slots.ts";
import type { Readiness } from "../health/routes.ts";
import type { MetricSnapshot } from "./metric-snapshots.ts";

/** Changes with the messages below: a supervisor runs no workers of a release that speaks differently. */
export const PROTOCOL = 3;

/** How a worker is doing. */
export type WorkerStatus = Readonly<{
  callsUnderWay: number;
  /** Resident memory in bytes. */
  memoryBytes: number;
  /** How late the event loop was at most since the last report, in milliseconds. */
  lagMs: number;
  /** Charges that are not in the database yet. */
  backlog: number;
}>;

/** What a worker may ask about all workers, and a supervisor about one. */
export type Topic = "metrics" | "readiness";

/** Sent by the supervisor. */
export type ToWorker =
  /** First: no new calls. Each further one ends the step under way, as a further SIGTERM does. */
  | Readonly<{ type: "stop"; reason: "shutdown" | "reload" | "orphaned"; workers: number }>
  /** A worker has died: charge what it left. */
  | Readonly<{ type: "adopt" }>
  | Readonly<{ type: "ask"; id: number; topic: Topic }>
  | Readonly<{ type: "gathered"; id: number; value: string | Readiness }>
  /** Whether a place was taken, for each question of a batch. */
  | Readonly<{ type: "counted"; id: number; taken: readonly boolean[] }>
  /** Whether a console shows calls anywhere. */
  | Readonly<{ type: "watch"; isWatched: boolean }>
  | Readonly<{ type: "calls"; calls: readonly LiveCall[] }>
  /** What another worker knows of channels; null: it has ended. */
  | Readonly<{ type: "routing"; worker: number; news: RoutingNews | null }>;

/** Sent by a worker. */
export type ToSupervisor =
  | Readonly<{ type: "ready"; protocol: number }>
  | Readonly<{ type: "report"; status: WorkerStatus; counters: readonly MetricSnapshot[] }>
  | Readonly<{ type: "answer"; id: number; value: readonly MetricSnapshot[] | Readiness }>
  | Readonly<{ type: "gather"; id: number; topic: Topic }>
  | Readonly<{ type: "count"; id: number; questions: readonly SlotQuestion[] }>
  | Readonly<{ type: "watch"; isWatched: boolean }>
  | Readonly<{ type: "calls"; calls: readonly LiveCall[] }>
  | Readonly<{ type: "routing"; worker: number; news: RoutingNews }>;

const isTyped = (value: unknown): value is { type: string } =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Messages come from processes that agreed on the protocol: the type is all that needs a look. */
export const isToWorker = (value: unknown): value is ToWorker => isTyped(value);

/** Whether a value is a message of a worker to its supervisor. */
export const isToSupervisor = (value: unknown): value is ToSupervisor => isTyped(value);
