import { openAiCompatible } from "../shared/openai-compatible.ts";

/** FastGPT. */
export const fastGpt = openAiCompatible({
  type: 22,
  name: "FastGPT",
  owner: "fastgpt",
  baseUrl: "https://api.fastgpt.in/api",
  keyHint: "fastgpt-…",
  facts: { documented: { source: "https://doc.fastgpt.io/docs/openapi/intro", version: "v1", day: "2026-11-29" } },
  models: ["fastgpt"],
  noListPrice: "own_app",
});
