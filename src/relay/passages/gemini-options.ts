import { type JsonObject, recordOf } from "../../dialects/json.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";

/** Safety thresholds and image answers as the settings have them, where the request says nothing of its own. */
export function withGeminiOptions(body: JsonObject, model: string, settings: ConversationSettings): JsonObject {
  const config = recordOf(body.generationConfig);
  const draws = settings.drawsImages(model) && !config?.responseModalities;
  return {
    ...body,
    safetySettings: body.safetySettings ?? settings.geminiSafety(),
    ...(draws && { generationConfig: { ...config, responseModalities: ["TEXT", "IMAGE"] } }),
  };
}
