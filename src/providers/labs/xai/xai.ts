import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { grokFormatOf, grokQuirks } from "./grok.ts";
import { xaiEdits, xaiImages } from "./images.ts";

/** xAI. */
export const xai = openAiCompatible({
  type: 48,
  name: "xAI",
  owner: "xai",
  baseUrl: "https://api.x.ai",
  capabilities: ["chat", "completions", "embeddings", "images", "image-edits"],
  native: { images: { format: xaiImages }, "image-edits": { format: xaiEdits } },
  responses: true,
  keyHint: "xai-…",
  models: [
    "grok-4.6",
    "grok-4.5",
    "grok-4.3",
    "grok-4.20-reasoning",
    "grok-4.20-non-reasoning",
    "grok-4-1-fast-reasoning",
    "grok-4-1-fast-non-reasoning",
    "grok-4",
    "grok-code-fast-1",
    "grok-3",
    "grok-3-mini",
  ],
  quirks: grokQuirks,
  formatOf: grokFormatOf,
});
