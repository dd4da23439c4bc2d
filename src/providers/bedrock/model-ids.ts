/** Bedrock's ids of the models that Anthropic names with a date; later ones have none. */
const DATED = /^claude-.*-\d{8}$/;
const WITHOUT_SUFFIX = /^claude-(opus-4-[78]|(opus|sonnet|fable|haiku)-[5-9])/;
/** Geographies whose inference profiles serve a region. */
const PROFILES: Readonly<Record<string, string>> = { us: "us", eu: "eu", ap: "apac", ca: "us", sa: "us" };

/**
 * Bedrock's id of a Claude model in a region, by its inference profile; names that are already ids or ARNs stay. Sources:
 * providers.md, type 33.
 */
export function bedrockModelId(model: string, region: string): string {
  if (!model.startsWith("claude-")) return model;
  const name = DATED.test(model) ? `${model}-v1:0` : WITHOUT_SUFFIX.test(model) ? model : `${model}-v1`;
  const profile = PROFILES[region.split("-")[0] ?? ""];
  return profile ? `${profile}.anthropic.${name}` : `anthropic.${name}`;
}
