import { openAiCompatible } from "../shared/openai-compatible.ts";

/** 360. */
export const ai360 = openAiCompatible({
  type: 19,
  name: "360",
  owner: "360",
  baseUrl: "https://api.360.cn",
  capabilities: ["chat", "embeddings"],
  facts: { documented: { source: "https://ai.360.com/docs/437061603e0", version: "v1" } },
  models: ["360gpt2-pro", "360gpt-pro", "360gpt-turbo", "360gpt2-o1"],
});
