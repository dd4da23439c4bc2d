import type { ReasoningControl } from "../../formats/conversation/service.ts";

/** OpenAI's open models, wherever they are served. */
export const GPT_OSS_REASONING: ReasoningControl = {
  models: /gpt-oss/,
  off: "lowest",
  effort: { path: ["reasoning_effort"], efforts: ["low", "medium", "high"] },
  offCosts: "They always reason: the lowest effort is sent.",
};

/** Templates differ in the name of their switch, and ignore any other. */
const inTemplate = (isOn: boolean) => ({ chat_template_kwargs: { enable_thinking: isOn, thinking: isOn } });

/**
 * Servers on which the model's chat template switches reasoning.
 * Source: https://docs.vllm.ai/en/latest/features/reasoning_outputs
 */
export const TEMPLATE_REASONING: readonly ReasoningControl[] = [
  GPT_OSS_REASONING,
  {
    models: /glm-5\.?[3-9]/i,
    off: "lowest",
    effort: { path: ["reasoning_effort"], efforts: ["low", "high"] },
    offCosts: "They always reason: the lowest effort is sent.",
  },
  {
    on: inTemplate(true),
    off: inTemplate(false),
    effort: { path: ["reasoning_effort"], efforts: ["low", "medium", "high"] },
  },
];
