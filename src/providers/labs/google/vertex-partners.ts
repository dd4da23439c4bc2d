import type { JsonObject } from "../../../formats/json.ts";
import type { ServiceFacts } from "../../contract/facts.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";
import { fitRequest } from "../../shared/fit-request.ts";
import { mistral } from "../mistral.ts";

/** A model of another maker, which Vertex AI serves in OpenAI's chat format. */
type PartnerModel = Readonly<{
  publisher: string;
  /** The name after the publisher. */
  name: string;
}>;

/** Makers by the beginning of their models' names, for names that don't begin with the maker. */
const PUBLISHERS: readonly (readonly [names: RegExp, publisher: string])[] = [
  [/^llama/, "meta"],
  [/^deepseek/, "deepseek-ai"],
  [/^qwen/, "qwen"],
  [/^gpt-oss/, "openai"],
  [/^glm/, "zai-org"],
  [/^grok/, "xai"],
  [/^kimi/, "moonshotai"],
  [/^minimax/, "minimaxai"],
  [/^(mistral|ministral|codestral|magistral|pixtral)/, "mistralai"],
  [/^jamba/, "ai21"],
];
/** Makers whose models are called under their own name, as Claude; the others share one address. */
const BY_NAME: ReadonlySet<string> = new Set(["mistralai", "ai21"]);
const NO_PARTNERS: ReadonlySet<string> = new Set(["google", "anthropic"]);

/**
 * The partner model of a name with or without its maker (`meta/llama-…`, `mistral-medium-3`); null: Google's or Anthropic's.
 * Sources: https://cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/mistral
 */
export function partnerModelOf(model: string): PartnerModel | null {
  const [, maker, rest = model] = /^([\w-]+)\/(.+)$/.exec(model) ?? [];
  const publisher = maker ?? PUBLISHERS.find(([names]) => names.test(model))?.[1];
  return publisher === undefined || NO_PARTNERS.has(publisher) ? null : { publisher, name: rest };
}

/** The path of a partner model's chats below a project's location. */
export function partnerPath({ publisher, name }: PartnerModel, stream: boolean): string {
  if (!BY_NAME.has(publisher)) return "/endpoints/openapi/chat/completions";
  return `/publishers/${publisher}/models/${name}:${stream ? "streamRawPredict" : "rawPredict"}`;
}

/** Vertex has no service tiers for Mistral. */
const MISTRAL_FACTS: ServiceFacts = { ...mistral.facts, tiers: {} };

/** What must change in a chat for a partner model: its name, and what Mistral's strict bodies demand. */
export function prepareForPartner(body: JsonObject, params: CallParams, model: PartnerModel): Preparation {
  const { publisher, name } = model;
  const facts = publisher === "mistralai" ? MISTRAL_FACTS : undefined;
  const fitted = fitRequest(body, { ...params, model: name }, facts ?? {});
  return {
    changes: fitted?.changes ?? {},
    dropped: fitted?.dropped ?? [],
    model: BY_NAME.has(publisher) ? name : `${publisher}/${name}`,
  };
}
