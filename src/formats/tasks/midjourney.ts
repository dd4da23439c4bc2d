import { type JsonObject, numberOf, recordOf, textOf } from "../json.ts";
import { TASK_STATUSES, type TaskReport, type TaskStatus } from "./report.ts";

const STATUSES: ReadonlySet<string> = new Set(TASK_STATUSES);

/**
 * Reads a task as midjourney-proxy reports it; null if it is none. A failure reason means failure, whatever the status.
 */
export function readDrawing(task: JsonObject): TaskReport | null {
  const upstreamId = textOf(task.id) ?? "";
  if (upstreamId === "") return null;
  const failReason = textOf(task.failReason) ?? "";
  const progress = textOf(task.progress) ?? "";
  const reported = textOf(task.status) ?? "";
  const failed = reported === "CANCEL" || (failReason !== "" && reported !== "SUCCESS" && progress !== "100%");
  const status = failed ? "FAILURE" : STATUSES.has(reported) ? (reported as TaskStatus) : "SUBMITTED";
  return {
    upstreamId,
    status,
    progress: progress || "0%",
    failReason: failReason || (reported === "CANCEL" ? { code: "why_task_cancelled" } : ""),
    startMs: numberOf(task.startTime) ?? 0,
    finishMs: numberOf(task.finishTime) ?? 0,
    drawing: {
      imageUrl: textOf(task.imageUrl) ?? "",
      prompt: textOf(task.prompt) ?? "",
      promptEn: textOf(task.promptEn) || (textOf(recordOf(task.properties)?.finalPrompt) ?? ""),
      description: textOf(task.description) ?? "",
      buttons: task.buttons ?? null,
      properties: task.properties ?? null,
    },
  };
}
