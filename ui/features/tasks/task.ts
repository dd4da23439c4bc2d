import type { listDrawingTasks, listMediaTasks } from "../../../src/domain/tasks/list-tasks.ts";

/** A drawing task as returned by `GET /api/mj/`; times in milliseconds, 0: not yet. */
export type DrawingTask = Awaited<ReturnType<typeof listDrawingTasks>>["items"][number];
/** A music or video task as returned by `GET /api/task/`; times in seconds, 0: not yet. */
export type MediaTask = Awaited<ReturnType<typeof listMediaTasks>>["items"][number];

const POLL_MS = 5000;

/** Parses a progress such as "40%" to percent. */
export function percentOf(progress: string): number {
  const value = Number.parseFloat(progress);
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), 100) : 0;
}

/** Whether a task has ended, successfully or not. */
const isOver = ({ status }: Readonly<{ status: string }>): boolean => status === "SUCCESS" || status === "FAILURE";

/** Polling interval of a list in milliseconds: short while one of its tasks is running. */
export const pollTasks = (tasks: readonly Readonly<{ status: string }>[]): number | false =>
  tasks.every(isOver) ? false : POLL_MS;

/** Whole seconds between submission and end; null while either is missing. Takes and returns seconds. */
export const elapsedSeconds = (submitted: number, finished: number): number | null =>
  submitted > 0 && finished >= submitted ? Math.round(finished - submitted) : null;

/** Midnight of the day of a moment, local time, in epoch seconds. */
export const startOfDay = (moment: Date): number =>
  Math.trunc(new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime() / 1000);

const DAYS_BACK = 30;

/** Local midnight 30 days before a moment, in epoch seconds, so that it doesn't move between requests. */
export const monthAgo = (moment: Date): number =>
  startOfDay(new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - DAYS_BACK));

/** The full hour that is an hour ahead at least, epoch seconds. */
export const hourAhead = (moment: Date): number => Math.ceil(moment.getTime() / HOUR_MS + 1) * (HOUR_MS / 1000);

const HOUR_MS = 3_600_000;
const SLOW_DRAWING_SECONDS = 60;

/** Whether a drawing took long: over 60 s. Takes what `elapsedSeconds` returns. */
export const isSlowDrawing = (elapsed: number | null): boolean => elapsed !== null && elapsed > SLOW_DRAWING_SECONDS;
