import type { AutomaticMarks } from "./conversation/automatic-marks.ts";
import type { ConversationSettings } from "./conversation/prepare-conversation.ts";
import type { ReasoningMemory } from "./conversation/reasoning-memory.ts";

/** What adapters remember and read besides the call. */
export type AdapterTools = Readonly<{
  reasoningMemory: ReasoningMemory;
  automaticMarks: AutomaticMarks;
  conversationSettings: ConversationSettings;
}>;
