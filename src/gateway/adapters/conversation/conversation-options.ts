import type { ChatDialect, Conversation } from "../../../formats/conversation/conversation.ts";
import { either } from "../../../formats/gemini/parts.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { StepFilter } from "../../call/guardrails/answer/step-filter.ts";
import type { StoreResponse } from "../../state/responses/store.ts";
import type { AdapterOptions } from "../passthrough-adapter.ts";
import type { AutomaticMarks } from "./automatic-marks.ts";
import type { ChannelPrompt, ConversationSettings } from "./prepare-conversation.ts";
import type { ReasoningMemory } from "./reasoning-memory.ts";

export type ConversationOptions = AdapterOptions &
  Readonly<{
    dialect: ChatDialect;
    settings: ConversationSettings;
    /** Fetches media that the upstream requires inside the request; rejects GatewayError. */
    inlineMedia: ((conversation: Conversation) => Promise<void>) | null;
    reasoningMemory: ReasoningMemory;
    automaticMarks: AutomaticMarks;
    /** Creates the function that stores the response for later reference; null if it is not stored. */
    storeResponse: ((request: Conversation) => StoreResponse | null) | null;
    /** Aliases of tool names that the upstream's format may reject. */
    toolNames: ReadonlyMap<string, string>;
    /** The channel's instructions. */
    prompt: ChannelPrompt | null;
    /** Filters of response events, applied in order. */
    filters: readonly (() => StepFilter)[];
  }>;

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
