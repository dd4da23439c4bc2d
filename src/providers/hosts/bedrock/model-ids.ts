/** Bedrock's ids of the models that Anthropic names with a date; of later ones Opus 4.6 alone has a version. */
const DATED = /^claude-.*-\d{8}$/;
const WITHOUT_SUFFIX = /^claude-(sonnet-4-[6-8]|opus-4-[78]|(opus|sonnet|fable|haiku)-[5-9])/;

/** Since Claude 4.5 there is a profile for the whole world, and none for Asia. */
const WORLDWIDE = /^claude-[a-z]+-(4-[5-9]|[5-9])/;
/** What Japan and Australia have profiles of their own for, their data staying there. */
const OF_JAPAN = /^claude-(haiku-4-5|sonnet-4-[56]|opus-4-[78]|(opus|sonnet)-5)/;
const OF_AUSTRALIA = /^claude-(haiku-4-5|sonnet-4-[56]|opus-4-[6-8]|(opus|sonnet)-5)/;

/**
 * Bedrock's id of a Claude model in a region, by its inference profile; names that are already ids or ARNs stay.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function bedrockModelId(model: string, region: string): string {
  if (!model.startsWith("claude-")) return model;
  const name = DATED.test(model) ? `${model}-v1:0` : WITHOUT_SUFFIX.test(model) ? model : `${model}-v1`;
  const profile = profileOf(model, region);
  return profile ? `${profile}.anthropic.${name}` : `anthropic.${name}`;
}

/** The inference profile that serves a region, the nearest first; null: the model is there itself, or nowhere. */
function profileOf(model: string, region: string): string | null {
  if (region.startsWith("us-gov-")) return "us-gov";
  // Canada's regions call the profile of the United States.
  if (/^(us|ca)-/.test(region)) return "us";
  if (region.startsWith("eu-")) return "eu";
  if (/^ap-northeast-[13]$/.test(region) && OF_JAPAN.test(model)) return "jp";
  if (/^ap-southeast-[24]$/.test(region) && OF_AUSTRALIA.test(model)) return "au";
  if (WORLDWIDE.test(model) && !region.startsWith("cn-")) return "global";
  return region.startsWith("ap-") ? "apac" : null;
}

/**
 * The model behind an inference profile, which is all that CountTokens takes
 * (https://github.com/pydantic/pydantic-ai/issues/4001); ARNs stay.
 */
export const foundationModelId = (id: string): string => id.replace(/^(us-gov|us|eu|jp|au|apac|global)\.(?=\w)/, "");
