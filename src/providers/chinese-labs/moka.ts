import type { Provider } from "../contract/provider.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** MokaAI's M3E embeddings, which accept texts only as a list. */
export const moka: Provider = {
  ...openAiCompatible({
    type: 44,
    name: "MokaAI M3E",
    owner: "moka",
    baseUrl: "https://api.moka.ai",
    facts: { documented: { source: "https://platform.moka.ai" }, addresses: { root: "" } },
    capabilities: ["embeddings"],
    models: ["m3e-large", "m3e-base", "m3e-small"],
  }),
  prepare: ({ input }, { model }) =>
    typeof input === "string" ? { model, changes: { input: [input] }, dropped: [] } : null,
};
