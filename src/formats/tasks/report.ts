import type { Reason } from "../../lib/reason.ts";

/** The status of a task. SUCCESS and FAILURE are final; MODAL: the upstream waits for input from the user. */
export const TASK_STATUSES = [
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "MODAL",
  "SUCCESS",
  "FAILURE",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What an image service reports about a task in addition to its status. */
export type DrawingDetails = Readonly<{
  imageUrl: string;
  prompt: string;
  promptEn: string;
  description: string;
  buttons: unknown;
  properties: unknown;
}>;

/** What an upstream reports about a task. */
export type TaskReport = Readonly<{
  upstreamId: string;
  status: TaskStatus;
  /** As clients see it: “45%”. */
  progress: string;
  /** Why it failed; empty if it has not failed. */
  failReason: Reason;
  /** Epoch milliseconds; 0: unknown. */
  startMs: number;
  finishMs: number;
  drawing?: DrawingDetails;
  /** The response of a music or video service, unchanged. */
  data?: unknown;
}>;

/** The reason when the upstream gives none. */
export const UNKNOWN_FAIL_REASON: Reason = { code: "why_task_failed" };
