import { compatible } from "../shared/openai-compatible.ts";

/** FastGPT. */
export const fastGpt = compatible({
  type: 22,
  name: "FastGPT",
  owner: "fastgpt",
  base: "https://api.fastgpt.in/api",
  keyHint: "fastgpt-…",
  models: ["fastgpt"],
  noListPrice: "own_app",
});
