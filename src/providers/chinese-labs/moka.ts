import type { Provider } from "../contract/provider.ts";
import { compatible } from "../shared/openai-compatible.ts";

/** MokaAI's M3E, which takes texts as a list alone. */
export const moka: Provider = {
  ...compatible({
    type: 44,
    name: "MokaAI M3E",
    owner: "moka",
    base: "https://api.moka.ai",
    root: "",
    capabilities: ["embeddings"],
    models: ["m3e-large", "m3e-base", "m3e-small"],
  }),
  adapt: ({ input }, { model }) =>
    typeof input === "string" ? { model, changes: { input: [input] }, dropped: [] } : null,
};
