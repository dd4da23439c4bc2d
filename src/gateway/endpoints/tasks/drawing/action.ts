import { type JsonObject, numberOf, textOf } from "../../../../formats/json.ts";
import { GatewayError } from "../../../call/errors.ts";

/** A parsed image order. */
export type DrawingOrder = Readonly<{
  /** The action's name in the protocol: IMAGINE, UPSCALE, … */
  action: string;
  model: string;
  prompt: string;
  /** The task that it continues; null for a first task. */
  parentId: string | null;
  customId: string;
  /** What to send to the upstream: path and body. */
  path: string;
  body: JsonObject;
}>;

/** Paths that submit first tasks, and the action of each. */
const FIRST_ACTIONS: Readonly<Record<string, string>> = {
  imagine: "IMAGINE",
  describe: "DESCRIBE",
  blend: "BLEND",
  shorten: "SHORTEN",
  edits: "EDITS",
  video: "VIDEO",
  "upload-discord-images": "UPLOAD",
};
const NEEDS_PROMPT: ReadonlySet<string> = new Set(["imagine", "shorten", "edits"]);
const CHANGES: ReadonlySet<string> = new Set(["UPSCALE", "VARIATION", "REROLL"]);
const MAX_INDEX = 4;
const SIMPLE = /^\s*(\S+)\s+(?:([uv])([1-4])|(r))\s*$/i;

/** What the buttons of a finished image do, by the beginning of their ids. The first match applies. */
const BUTTONS: readonly (readonly [RegExp, string])[] = [
  [/^MJ::JOB::upsample/i, "UPSCALE"],
  [/^MJ::JOB::low_variation/i, "LOW_VARIATION"],
  [/^MJ::JOB::high_variation/i, "HIGH_VARIATION"],
  [/^MJ::JOB::variation/i, "VARIATION"],
  [/^MJ::JOB::pan/i, "PAN"],
  [/^MJ::JOB::reroll/i, "REROLL"],
  [/^MJ::JOB::animate/i, "VIDEO"],
  [/^MJ::CustomZoom/i, "CUSTOM_ZOOM"],
  [/^MJ::Outpaint/i, "ZOOM"],
  [/^MJ::Inpaint/i, "INPAINT"],
];

/** Reads an order by its path after /mj/submit/. Throws GatewayError with the protocol's reason. */
export function readOrder(name: string, body: JsonObject): DrawingOrder {
  const prompt = textOf(body.prompt)?.trim() ?? "";
  const base = { prompt, parentId: null, customId: "", path: `/submit/${name}`, body };
  const action = Object.hasOwn(FIRST_ACTIONS, name) ? FIRST_ACTIONS[name] : undefined;
  if (action) {
    if (NEEDS_PROMPT.has(name) && prompt === "") throw reason("prompt_is_required");
    return { ...base, action, model: modelOf(action) };
  }
  switch (name) {
    case "change":
      return { ...base, ...readChange(body) };
    case "simple-change":
      return { ...base, ...readSimpleChange(body) };
    case "action":
      return { ...base, ...readButton(body) };
    case "modal":
      return { ...base, action: "MODAL", model: "mj_modal", parentId: taskIdOf(body) };
    default:
      throw reason(`unknown_action: ${name.slice(0, 40)}`);
  }
}

/** POST /mj/insight-face/swap */
export function readSwap(body: JsonObject): DrawingOrder {
  if (!textOf(body.sourceBase64) || !textOf(body.targetBase64))
    throw reason("sour_base64_and_target_base64_is_required");
  const order = { prompt: "", parentId: null, customId: "", path: "/insight-face/swap", body };
  return { ...order, action: "SWAP_FACE", model: "swap_face" };
}

function readChange(body: JsonObject) {
  const action = textOf(body.action)?.toUpperCase() ?? "";
  if (action === "") throw reason("action_is_required");
  if (!CHANGES.has(action)) throw reason(`unknown_action: ${action.slice(0, 40)}`);
  const parentId = taskIdOf(body);
  const index = numberOf(body.index) ?? 0;
  if (action !== "REROLL" && (!Number.isInteger(index) || index < 1 || index > MAX_INDEX))
    throw reason("index_is_required");
  return { action, model: modelOf(action), parentId };
}

/** "<task> U2": sent to the upstream as an ordinary change. */
function readSimpleChange(body: JsonObject) {
  const content = textOf(body.content) ?? "";
  if (content === "") throw reason("content_is_required");
  const [, taskId, letter, index, reroll] = SIMPLE.exec(content) ?? [];
  if (!taskId) throw reason("content_parse_failed");
  const action = reroll ? "REROLL" : letter?.toUpperCase() === "U" ? "UPSCALE" : "VARIATION";
  const { content: _, ...rest } = body;
  const change = { ...rest, taskId, action, ...(index && { index: Number(index) }) };
  return { action, model: modelOf(action), parentId: taskId, path: "/submit/change", body: change };
}

function readButton(body: JsonObject) {
  const parentId = taskIdOf(body);
  const customId = textOf(body.customId) ?? "";
  if (customId === "") throw reason("custom_id_is_required");
  const action = BUTTONS.find(([begins]) => begins.test(customId))?.[1];
  if (!action) throw reason(`unknown_action: ${customId.slice(0, 40)}`);
  return { action, model: modelOf(action), parentId, customId };
}

function taskIdOf(body: JsonObject): string {
  const id = textOf(body.taskId) ?? "";
  if (id === "") throw reason("task_id_is_required");
  return id;
}

const modelOf = (action: string): string => `mj_${action.toLowerCase()}`;

/** An invalid order, with the protocol's own message. */
export const reason = (text: string): GatewayError => new GatewayError(400, text, text, { type: "invalid_request" });

const SPEEDS = /\s*--(?:fast|relax|turbo)\b/gi;

/** The body for the upstream according to the site's settings; `callbackUrl` null: no callback. */
export function bodyForUpstream(
  body: JsonObject,
  site: Readonly<{ callbackUrl: string | null; keepsAccountFilter: boolean; clearsModes: boolean }>,
): JsonObject {
  const { notifyHook: _hook, accountFilter, ...rest } = body;
  return {
    ...rest,
    ...(site.keepsAccountFilter && accountFilter !== undefined && { accountFilter }),
    ...(site.clearsModes && typeof rest.prompt === "string" && { prompt: rest.prompt.replace(SPEEDS, "").trim() }),
    ...(site.callbackUrl !== null && { notifyHook: site.callbackUrl }),
  };
}
