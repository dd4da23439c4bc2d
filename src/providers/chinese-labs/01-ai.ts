import { openAiCompatible } from "../shared/openai-compatible.ts";

/** 01.AI. */
export const zeroOneAi = openAiCompatible({
  type: 31,
  name: "01.AI",
  owner: "01.ai",
  baseUrl: "https://api.lingyiwanwu.com",
  facts: {
    documented: { source: "https://platform.lingyiwanwu.com/docs/api-reference", version: "v1", day: "2026-11-29" },
    // https://github.com/01-ai/Yi/tree/main/Cookbook
    hosts: [
      { region: "CN", url: "https://api.lingyiwanwu.com" },
      { region: null, url: "https://api.01.ai" },
    ],
  },
  models: ["yi-lightning", "yi-vision-v2", "yi-large", "yi-medium"],
});
