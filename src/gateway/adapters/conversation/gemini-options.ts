import { either } from "../../../formats/gemini/parts.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";

/** Adds safety thresholds and image output from the settings where the request has none of its own. */
export function geminiOptions(body: JsonObject, model: string, settings: ConversationSettings): JsonObject {
  const name = body.generation_config === undefined ? "generationConfig" : "generation_config";
  const config = recordOf(body[name]);
  const draws = settings.drawsImages(model) && !either(config, "responseModalities");
  return {
    ...(!either(body, "safetySettings") && { safetySettings: settings.geminiSafety() }),
    ...(draws && { [name]: { ...config, responseModalities: ["TEXT", "IMAGE"] } }),
  };
}
