import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { TASK_STATUSES, type TaskReport, type TaskStatus } from "../../formats/tasks/report.ts";
import { trimSlashes } from "../contract/base-address.ts";
import type { Provider } from "../contract/provider.ts";
import type { TaskProtocol } from "../contract/tasks.ts";

const TIMEOUT_S = 2 * 3600;
const KNOWN_STATUSES: ReadonlySet<string> = new Set(TASK_STATUSES);

const tasks: TaskProtocol = {
  mostAtOnce: 100,
  timeoutSeconds: TIMEOUT_S,
  ask: ({ baseUrl }, requested) => ({
    method: "POST",
    url: `${trimSlashes(baseUrl)}/suno/fetch`,
    body: JSON.stringify({ ids: requested.map(({ upstreamId }) => upstreamId), action: requested[0]?.action ?? "" }),
  }),
  readReports: (answer) => recordsOf(recordOf(answer)?.data).flatMap((task) => readSong(task) ?? []),
};

function readSong(task: JsonObject): TaskReport | null {
  const upstreamId = textOf(task.task_id) ?? "";
  if (upstreamId === "") return null;
  const upstreamStatus = (textOf(task.status) ?? "").toUpperCase();
  const failReason = textOf(task.fail_reason) ?? "";
  const status = failReason !== "" && upstreamStatus !== "SUCCESS" ? "FAILURE" : upstreamStatus;
  return {
    upstreamId,
    status: KNOWN_STATUSES.has(status) ? (status as TaskStatus) : "SUBMITTED",
    progress: textOf(task.progress) || "0%",
    failReason,
    startMs: (numberOf(task.start_time) ?? 0) * 1000,
    finishMs: (numberOf(task.finish_time) ?? 0) * 1000,
    data: task.data ?? null,
  };
}

/** A Suno API server, or another gateway that has one. */
export const suno: Provider = {
  type: 36,
  name: "Suno API",
  owner: "suno",
  defaultBaseUrl: null,
  capabilities: ["music"],
  keyHint: "sk-…",
  facts: { documented: { source: "https://github.com/Suno-API/Suno-API", day: "2026-11-29" } },
  models: ["suno_music", "suno_lyrics"],
  url: ({ baseUrl }) => `${trimSlashes(baseUrl)}/suno`,
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  tasks,
};
