import type { PlaygroundModel } from "../../../../src/domain/playground/describe-model.ts";
import { isNumber, isRecord, isText } from "../../../lib/json.ts";

/** What is known of a model, with the service tiers that have a price. */
export type LaneModel = PlaygroundModel & Readonly<{ serviceTiers: readonly string[] }>;

/** Parameters of a request by their name in OpenAI's Chat Completions; what is absent is not sent. */
export type Parameters = Readonly<Partial<Record<ParameterName, number | string>>>;

type NumberParameter = Readonly<{ kind: "number"; min: number; max: number; step: number }>;
type Parameter = NumberParameter | Readonly<{ kind: "choice" | "lines" }>;

/** What can be set, with the range that the strictest common API takes. */
export const PARAMETERS = {
  temperature: { kind: "number", min: 0, max: 2, step: 0.1 },
  max_tokens: { kind: "number", min: 1, max: 1_000_000, step: 1 },
  top_p: { kind: "number", min: 0, max: 1, step: 0.05 },
  top_k: { kind: "number", min: 1, max: 500, step: 1 },
  reasoning_effort: { kind: "choice" },
  thinking_budget: { kind: "number", min: 0, max: 1_000_000, step: 1 },
  verbosity: { kind: "choice" },
  frequency_penalty: { kind: "number", min: -2, max: 2, step: 0.1 },
  presence_penalty: { kind: "number", min: -2, max: 2, step: 0.1 },
  seed: { kind: "number", min: 0, max: 2_147_483_647, step: 1 },
  stop: { kind: "lines" },
  service_tier: { kind: "choice" },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;

/** The values of a parameter that has a few, for a model. */
export function choicesOf(name: ParameterName, model: LaneModel | undefined): readonly string[] {
  switch (name) {
    case "reasoning_effort":
      return model?.efforts ?? [];
    case "verbosity":
      return ["low", "medium", "high"];
    case "service_tier":
      return model?.serviceTiers ?? [];
    default:
      return [];
  }
}

/**
 * The parameters that the models have, as far as the catalog knows: what one of them has is offered, and left out where another
 * refuses it.
 */
export function parametersOf(models: readonly LaneModel[]): readonly ParameterName[] {
  const known = models.length === 0 ? [undefined] : models;
  return PARAMETER_NAMES.filter((name) => known.some((model) => takes(name, model)));
}

function takes(name: ParameterName, model: LaneModel | undefined): boolean {
  if (model?.refuses.includes(name)) return false;
  switch (name) {
    case "reasoning_effort":
    case "service_tier":
      return choicesOf(name, model).length > 0;
    case "thinking_budget":
      return model?.thinking_budget != null;
    case "top_k":
      return model?.top_k === true;
    case "verbosity":
      return model?.verbosity === true;
    default:
      return true;
  }
}

const PARAMETER_NAMES = Object.keys(PARAMETERS).filter((name): name is ParameterName =>
  Object.hasOwn(PARAMETERS, name),
);

/** Reads what a field holds: the number in the parameter's range, else the text; undefined: not set. */
export function parameterValue(name: ParameterName, text: string): number | string | undefined {
  const parameter: Parameter = PARAMETERS[name];
  if (text.trim() === "") return undefined;
  if (parameter.kind !== "number") return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const bounded = Math.min(parameter.max, Math.max(parameter.min, value));
  return Number.isInteger(parameter.step) ? Math.round(bounded) : bounded;
}

/** The parameters in an object, without what is no parameter or has no value that it can have. */
export function readParameters(value: unknown): Parameters {
  const members = isRecord(value) ? value : {};
  return Object.fromEntries(
    PARAMETER_NAMES.flatMap((name) => {
      const member = members[name];
      return isNumber(member) || (isText(member) && member !== "") ? [[name, member]] : [];
    }),
  );
}
