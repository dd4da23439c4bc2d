import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import type { Provider } from "../contract/provider.ts";
import { TASK_STATUSES, type TaskProtocol, type TaskReport, type TaskStatus, trimmed } from "../contract/tasks.ts";

const HOUR_S = 3600;
const KNOWN: ReadonlySet<string> = new Set(TASK_STATUSES);

/** Names under which drawing calls are routed and priced. */
const MODELS = [
  "mj_imagine",
  "mj_variation",
  "mj_reroll",
  "mj_blend",
  "mj_modal",
  "mj_zoom",
  "mj_shorten",
  "mj_high_variation",
  "mj_low_variation",
  "mj_pan",
  "mj_inpaint",
  "mj_custom_zoom",
  "mj_describe",
  "mj_upscale",
  "mj_upload",
  "mj_edits",
  "mj_video",
  "swap_face",
];

const tasks: TaskProtocol = {
  mostAtOnce: 100,
  timeoutSeconds: HOUR_S,
  ask: ({ baseUrl }, asked) => ({
    method: "POST",
    url: `${trimmed(baseUrl)}/mj/task/list-by-condition`,
    body: JSON.stringify({ ids: asked.map(({ upstreamId }) => upstreamId) }),
  }),
  readReports: (answer) => recordsOf(answer).flatMap((task) => readDrawing(task) ?? []),
};

/** A task of the drawing protocol; null for something else. A reason to fail is a failure, whatever the status. */
export function readDrawing(task: JsonObject): TaskReport | null {
  const upstreamId = textOf(task.id) ?? "";
  if (upstreamId === "") return null;
  const failReason = textOf(task.failReason) ?? "";
  const progress = textOf(task.progress) ?? "";
  const given = textOf(task.status) ?? "";
  const failed = given === "CANCEL" || (failReason !== "" && given !== "SUCCESS" && progress !== "100%");
  const status = failed ? "FAILURE" : KNOWN.has(given) ? (given as TaskStatus) : "SUBMITTED";
  return {
    upstreamId,
    status,
    progress: progress || "0%",
    failReason: failReason || (given === "CANCEL" ? { code: "why_task_cancelled" } : ""),
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

/** A server that draws by Midjourney; both kinds speak the same protocol. */
const drawing = (type: number, name: string): Provider => ({
  type,
  name,
  owner: "midjourney",
  defaultBaseUrl: null,
  capabilities: ["drawing"],
  keyHint: "mj-api-secret",
  models: MODELS,
  url: ({ baseUrl }) => `${trimmed(baseUrl)}/mj`,
  authHeaders: (_channel, key) => ({ "mj-api-secret": key }),
  tasks,
});

export const midjourney: Provider = drawing(2, "Midjourney Proxy");
export const midjourneyPlus: Provider = drawing(5, "Midjourney Proxy Plus");
