import { parseJson, recordOf } from "../../../formats/json.ts";
import type { SourceRow } from "../source.ts";
import { integerIn, textOf } from "../values.ts";

const AZURE = 3;
/** 2025-05-10 UTC: deployments of channels that new-api made before are called without the dots of their models. */
const DOTS_SINCE_S = 1_746_835_200;

/**
 * A channel's model mapping (JSON), with the names that its deployments at Azure had for the gateway it comes from:
 * `gpt-3.5-turbo` is `gpt-35-turbo` there, always for one-api, for new-api in older channels.
 */
export function mappingForDeployments(row: SourceRow, type: number, family: string): string {
  const text = textOf(row, "model_mapping");
  const mapping = recordOf(parseJson(text || "{}"));
  const dropsDots = family === "one-api" || integerIn(row, "created_time") < DOTS_SINCE_S;
  if (type !== AZURE || family === "LiteLLM" || !dropsDots || !mapping) return text;
  const names = textOf(row, "models").split(",");
  const renamed = names.flatMap((listed) => {
    const model = listed.trim();
    const deployment = String(mapping[model] ?? model);
    return deployment.includes(".") ? [[model, deployment.replaceAll(".", "")] as const] : [];
  });
  return renamed.length === 0 ? text : JSON.stringify({ ...mapping, ...Object.fromEntries(renamed) });
}
