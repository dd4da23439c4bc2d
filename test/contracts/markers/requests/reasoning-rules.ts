import { shippedCatalog } from "../../../../src/catalog/catalog.ts";
import { recordOf } from "../../../../src/formats/json.ts";
import { chatServiceOf } from "../../../../src/providers/contract/facts.ts";
import { providerOf } from "../../../../src/providers/registry.ts";
import type { Loss } from "./follow.ts";
import type { Rule } from "./rule.ts";

const isOff = (value: unknown): boolean =>
  value === false || value === "none" || value === "omitted" || recordOf(value)?.type === "disabled";

/** Whether a model reasons, as far as the catalog knows. */
const mayReason = (model: string): boolean => {
  const style = shippedCatalog.find(model).reasoning?.style;
  return style !== undefined && style !== "none";
};

/** Whether a model reasons unless it is switched off, as the catalog or else the service's facts have it. */
function reasonsByItself({ type, model }: Loss["service"]): boolean {
  const { reasoning } = shippedCatalog.find(model);
  if (reasoning) return mayReason(model) && !reasoning.efforts?.includes("none");
  const provider = providerOf(type);
  const controls = provider ? chatServiceOf(provider).reasoning : [];
  const control = controls.find(({ models }) => models?.test(model) ?? true);
  return control !== undefined && !control.on;
}

const showsNothing = ({ model }: Loss["service"], body: string): boolean =>
  /^(gpt-(?!oss)|o\d)/.test(model) && !/"summary":"\w/.test(body);

/** A request that asks a service to reason, in its own words. */
const REASONS =
  /"(think|enable_thinking|EnableThinking)":(true|"\w+")|"thinking":(true|\{"type":"(enabled|adaptive)")|"(reasoning_effort|effort|thinking_?level|maxReasoningEffort)":"(?!none)|"(thinking_?budget|budget_tokens|token_budget)":[1-9]/i;

/** Whether, how much and how visibly a model reasons. */
export const REASONING: readonly Rule[] = [
  {
    why: "No level of thinking: the model decides",
    at: { gemini: /thinkingLevel$/ },
    values: ["THINKING_LEVEL_UNSPECIFIED"],
  },
  {
    why: "Reasoning is shown as far as the service sends it, asked for or not",
    at: {
      responses: /^reasoning\.(generate_)?summary$/,
      messages: /^thinking\[\w+\]\.display$/,
      gemini: /includeThoughts$/,
      interactions: /thinking_summaries$/,
    },
    values: [true, "auto", "summarized"],
  },
  {
    why: "A model that does not reason has nothing to switch off and nothing to hide; OpenAI's show what a request asks for",
    at: {
      chat: /^reasoning_effort$/,
      responses: /^reasoning\.effort$/,
      messages: /^thinking\[(disabled|\w+\]\.display)/,
      gemini: /includeThoughts$/,
      interactions: /thinking_summaries$/,
    },
    when: ({ path, value, service, sent }) =>
      isOff(value) &&
      (!mayReason(service.model) || (/display$|include|summaries/.test(path) && showsNothing(service, sent.body))),
  },
  {
    why: "Adaptive reasoning with an effort is reasoning of this effort",
    at: { messages: /^thinking\[adaptive\]$/ },
    when: ({ request, sent }) => typeof recordOf(request.output_config)?.effort === "string" && REASONS.test(sent.body),
  },
  {
    why: "Adaptive reasoning is what these models do without being asked",
    at: { messages: /^thinking\[adaptive\]$/ },
    when: ({ service }) => reasonsByItself(service),
  },
  {
    why: "An amount of reasoning becomes the nearest of the service's own, where there is but a switch: on",
    at: { messages: /^(thinking\[enabled\]\.budget_tokens|output_config\.effort)$/, gemini: /thinkingBudget$/ },
    when: ({ sent }) => REASONS.test(sent.body),
  },
  {
    why: "Gemini refuses a level together with a budget of thinking: the budget counts",
    at: { gemini: /thinkingLevel$/ },
    when: ({ request }) => typeof thinkingOf(request)?.thinkingBudget === "number",
  },
];

const thinkingOf = (request: Loss["request"]) => recordOf(recordOf(request.generationConfig)?.thinkingConfig);
