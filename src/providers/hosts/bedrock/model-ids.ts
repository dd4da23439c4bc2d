import type { ModelInfo } from "../../../catalog/catalog.ts";
import { shippedCatalog } from "../../../catalog/shipped.ts";
import type { CallParams } from "../../contract/provider.ts";

/** Claude models whose name has a date have the same version in their Bedrock id. */
const DATED = /^claude-.*-\d{8}$/;

/**
 * Bedrock's id of a Claude model in a region, by its inference profile; names that are already ids or ARNs stay. The catalog
 * says which version and profiles a model has.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function bedrockModelId(
  { model, catalog = shippedCatalog }: Pick<CallParams, "model" | "catalog">,
  region: string,
): string {
  if (!model.startsWith("claude-")) return model;
  const info = catalog.find(model);
  const version = DATED.test(model) ? "v1:0" : info.bedrock_version;
  const profile = profileOf(info, region);
  return `${profile ? `${profile}.` : ""}anthropic.${model}${version ? `-${version}` : ""}`;
}

/** The inference profile for a region, the most local first; null if the model is in the region itself, or nowhere. */
function profileOf({ bedrock_profiles }: ModelInfo, region: string): string | null {
  const has = (profile: string) => bedrock_profiles?.includes(profile) ?? false;
  if (region.startsWith("us-gov-")) return "us-gov";
  // Canada's regions use the profile of the United States.
  if (/^(us|ca)-/.test(region)) return "us";
  if (region.startsWith("eu-")) return "eu";
  if (/^ap-northeast-[13]$/.test(region) && has("jp")) return "jp";
  if (/^ap-southeast-[24]$/.test(region) && has("au")) return "au";
  if (has("global") && !region.startsWith("cn-")) return "global";
  return region.startsWith("ap-") ? "apac" : null;
}

/**
 * The model of an inference profile, because CountTokens accepts no profiles
 * (https://github.com/pydantic/pydantic-ai/issues/4001); ARNs stay.
 */
export const foundationModelId = (id: string): string => id.replace(/^(us-gov|us|eu|jp|au|apac|global)\.(?=\w)/, "");
