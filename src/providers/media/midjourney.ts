import { recordsOf } from "../../formats/json.ts";
import { readDrawing } from "../../formats/tasks/midjourney.ts";
import { trimSlashes } from "../contract/base-address.ts";
import type { Provider } from "../contract/provider.ts";
import type { TaskProtocol } from "../contract/tasks.ts";

const HOUR_S = 3600;

/** Model names by which Midjourney calls are routed and priced. */
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
  ask: ({ baseUrl }, requested) => ({
    method: "POST",
    url: `${trimSlashes(baseUrl)}/mj/task/list-by-condition`,
    body: JSON.stringify({ ids: requested.map(({ upstreamId }) => upstreamId) }),
  }),
  readReports: (answer) => recordsOf(answer).flatMap((task) => readDrawing(task) ?? []),
};

/** A Midjourney proxy server; both kinds have the same protocol. */
const drawing = (type: number, name: string): Provider => ({
  type,
  name,
  owner: "midjourney",
  defaultBaseUrl: null,
  capabilities: ["drawing"],
  keyHint: "mj-api-secret",
  models: MODELS,
  facts: { documented: { source: "https://github.com/novicezk/midjourney-proxy", day: "2026-11-29" } },
  url: ({ baseUrl }) => `${trimSlashes(baseUrl)}/mj`,
  authHeaders: (_channel, key) => ({ "mj-api-secret": key }),
  tasks,
});

export const midjourney: Provider = drawing(2, "Midjourney Proxy");
export const midjourneyPlus: Provider = drawing(5, "Midjourney Proxy Plus");
