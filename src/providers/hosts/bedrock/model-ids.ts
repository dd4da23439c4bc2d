/** Claude models whose name has a date; of the later ones, only Opus 4.6 has a version in its Bedrock id. */
const DATED = /^claude-.*-\d{8}$/;
const WITHOUT_SUFFIX = /^claude-(sonnet-4-[6-8]|opus-4-[78]|(opus|sonnet|fable|haiku)-[5-9])/;

/** Since Claude 4.5 there is a global inference profile, and none for Asia. */
const WORLDWIDE = /^claude-[a-z]+-(4-[5-9]|[5-9])/;
/** Models with inference profiles that keep data in Japan or Australia. */
const JAPAN_MODELS = /^claude-(haiku-4-5|sonnet-4-[56]|opus-4-[78]|(opus|sonnet)-5)/;
const AUSTRALIA_MODELS = /^claude-(haiku-4-5|sonnet-4-[56]|opus-4-[6-8]|(opus|sonnet)-5)/;

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

/** The inference profile for a region, the most local first; null if the model is in the region itself, or nowhere. */
function profileOf(model: string, region: string): string | null {
  if (region.startsWith("us-gov-")) return "us-gov";
  // Canada's regions use the profile of the United States.
  if (/^(us|ca)-/.test(region)) return "us";
  if (region.startsWith("eu-")) return "eu";
  if (/^ap-northeast-[13]$/.test(region) && JAPAN_MODELS.test(model)) return "jp";
  if (/^ap-southeast-[24]$/.test(region) && AUSTRALIA_MODELS.test(model)) return "au";
  if (WORLDWIDE.test(model) && !region.startsWith("cn-")) return "global";
  return region.startsWith("ap-") ? "apac" : null;
}

/**
 * The model of an inference profile, because CountTokens accepts no profiles
 * (https://github.com/pydantic/pydantic-ai/issues/4001); ARNs stay.
 */
export const foundationModelId = (id: string): string => id.replace(/^(us-gov|us|eu|jp|au|apac|global)\.(?=\w)/, "");
