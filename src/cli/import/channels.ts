import { parseJson, recordOf } from "../../formats/json.ts";
import type { SourceRow } from "./source.ts";
import { integerIn, objectOf, textOf } from "./values.ts";

/** What differs in a channel of one-api once it is translated to the numbers and fields used here. */
export type Translated = Readonly<{ type: number; key: string; baseUrl: string; other: string }>;

const OPENAI = 1;
const CUSTOM = 8;
/** Providers that have another number here. */
const RENUMBERED: Readonly<Record<number, number>> = {
  27: 35,
  28: 42,
  30: 4,
  35: 34,
  36: 43,
  37: 39,
  40: 45,
  42: 41,
  44: 40,
  45: 48,
  47: 46,
};
/** Resellers of old that all three gateways number alike. */
const RESELLERS: Readonly<Record<number, string>> = {
  6: "https://api.openaimax.com",
  7: "https://api.ohmygpt.com",
  9: "https://api.caipacity.com",
  10: "https://api.aiproxy.io",
  12: "https://api.api2gpt.com",
  13: "https://api.aigc2d.com",
};
/** Services that speak OpenAI's format under `/v1/…`, and where they are unless the channel says so. */
const COMPATIBLE: Readonly<Record<number, string>> = {
  2: "https://oa.api2d.net",
  4: "https://api.closeai-proxy.xyz",
  5: "https://api.openai-sb.com",
  ...RESELLERS,
  26: "https://api.baichuan-ai.com",
  29: "https://api.groq.com/openai",
  32: "https://api.stepfun.com",
  39: "https://api.together.xyz",
  48: "https://spark-api-open.xf-yun.com",
  49: "https://dashscope.aliyuncs.com/compatible-mode",
  50: "",
};
/** Those whose chat is not under `/v1`: a channel of type 8 has the whole address. */
const ODD_PATHS: Readonly<Record<number, string>> = {
  41: "https://api.novita.ai/v3/openai",
  51: "https://generativelanguage.googleapis.com/v1beta/openai",
};
const NO_COUNTERPART: Readonly<Record<number, string>> = { 34: "Coze", 38: "DeepL", 43: "raw proxy", 46: "Replicate" };
const BEDROCK = 33;
const VERTEX_AI = 42;

/** Reads a channel of one-api; text: why there is nothing like it here. */
export function translateChannel(row: SourceRow): Translated | string {
  const type = integerIn(row, "type");
  const none = NO_COUNTERPART[type];
  if (none) return `${none} has no counterpart here`;
  const baseUrl = textOf(row, "base_url").replace(/\/+$/, "");
  const own = { key: textOf(row, "key"), baseUrl, other: textOf(row, "other") };
  const odd = ODD_PATHS[type];
  if (odd) return { ...own, type: CUSTOM, baseUrl: `${baseUrl || odd}/chat/completions` };
  const compatible = COMPATIBLE[type];
  if (compatible !== undefined) return { ...own, type: OPENAI, baseUrl: baseUrl || compatible };
  return { ...own, ...readConfig(row, type), type: RENUMBERED[type] ?? type };
}

/** What one-api keeps in a column of its own (`config`) and is part of the key, or the further field, here. */
function readConfig(row: SourceRow, type: number): Partial<Translated> {
  const config = objectOf(row, "config");
  const field = (name: string): string => (typeof config[name] === "string" ? config[name].trim() : "");
  if (type === BEDROCK && field("ak") && field("sk")) {
    return { key: [field("ak"), field("sk"), field("region")].join("|") };
  }
  if (type === VERTEX_AI) {
    return { key: field("vertex_ai_adc") || textOf(row, "key"), other: field("region") || textOf(row, "other") };
  }
  const other = field("api_version") || field("library_id") || field("plugin") || field("user_id");
  return other === "" ? {} : { other };
}

const isKin = (family: string): boolean => family === "new-api" || family === "Veloera";

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
  const dropsDots = family === "one-api" || (isKin(family) && integerIn(row, "created_time") < DOTS_SINCE_S);
  if (type !== AZURE || !dropsDots || !mapping) return text;
  const names = textOf(row, "models").split(",");
  const renamed = names.flatMap((listed) => {
    const model = listed.trim();
    const deployment = String(mapping[model] ?? model);
    return deployment.includes(".") ? [[model, deployment.replaceAll(".", "")] as const] : [];
  });
  return renamed.length === 0 ? text : JSON.stringify({ ...mapping, ...Object.fromEntries(renamed) });
}

/** Services that have a number of this gateway's own: Perplexity, Kling, Jimeng, Vidu. */
const RENUMBERED_BY_FORKS: Readonly<Record<number, number>> = { 27: 1003, 50: 1010, 51: 1018, 52: 1011 };

/** Reads a channel of new-api or Veloera, whose numbers are mostly those used here. */
export function translateKin(row: SourceRow): Translated {
  const type = integerIn(row, "type", OPENAI);
  const baseUrl = textOf(row, "base_url");
  const own = { key: textOf(row, "key"), baseUrl, other: textOf(row, "other") };
  const reseller = RESELLERS[type];
  if (reseller) return { ...own, type: OPENAI, baseUrl: baseUrl || reseller };
  return { ...own, type: RENUMBERED_BY_FORKS[type] ?? type };
}
