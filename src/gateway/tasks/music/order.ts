import { type JsonObject, textOf } from "../../../formats/json.ts";
import { GatewayError } from "../../call/errors.ts";

/** A music order, read. */
export type MusicOrder = Readonly<{
  action: "MUSIC" | "LYRICS";
  model: string;
  prompt: string;
  /** The task whose song it continues; null: a new song. */
  parentId: string | null;
  body: JsonObject;
}>;

const DEFAULT_VERSION = "chirp-v3-0";

/** Reads an order by its address behind /suno/submit/, in any case. Throws RelayError with the protocol's reason. */
export function readMusicOrder(name: string, body: JsonObject): MusicOrder {
  const action = name.toUpperCase();
  const prompt = textOf(body.prompt) || (textOf(body.gpt_description_prompt) ?? "");
  const { notify_hook: _hook, ...order } = body;
  if (action === "LYRICS") {
    if (!textOf(body.prompt)) throw new GatewayError(400, "invalid_request", "prompt_empty");
    return { action, model: "suno_lyrics", prompt, parentId: null, body: order };
  }
  if (action !== "MUSIC") throw new GatewayError(400, "invalid_request", "invalid_action");
  const taskId = textOf(body.task_id) ?? "";
  const continues = (textOf(body.continue_clip_id) ?? "") !== "";
  if (continues && taskId === "") throw new GatewayError(400, "invalid_request", "task_id_is_required");
  const withVersion = { ...order, mv: textOf(body.mv) || DEFAULT_VERSION };
  return { action, model: "suno_music", prompt, parentId: continues ? taskId : null, body: withVersion };
}
