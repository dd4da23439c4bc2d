import { recordOf } from "../../../formats/json.ts";
import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { flagOf, integerIn, objectOf, textOf } from "../values.ts";

const KIND = "channels";
const OPENAI = 1;

/** Numbers of one-hub and done-hub → those used here, where they differ. */
const RENUMBERED: Readonly<Record<number, number>> = {
  25: 24,
  27: 35,
  28: 43,
  29: 25,
  30: 42,
  31: 1000,
  32: 33,
  33: 31,
  34: 2,
  35: 39,
  36: 34,
  39: 4,
  40: 23,
  41: 36,
  42: 41,
  45: 40,
  47: 38,
  51: 1015,
  53: 1010,
  56: 48,
  61: 41,
  62: 33,
};
/** Services that speak OpenAI's format, and where they are unless the channel says so. */
const COMPATIBLE: Readonly<Record<number, string>> = {
  26: "https://api.baichuan-ai.com",
  49: "https://models.inference.ai.azure.com",
};
/** Numbers without a provider of their own there, such as that of a custom channel: OpenAI's format at the channel's address. */
const AT_ITS_ADDRESS: ReadonlySet<number> = new Set([2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 19, 21, 22, 43, 44, 46, 48]);
const NO_COUNTERPART: Readonly<Record<number, string>> = {
  24: "Azure Speech",
  37: "Stability AI",
  38: "Coze",
  52: "Replicate",
  54: "Databricks",
  55: "Azure by its v1 API: make an OpenAI channel",
  57: "Gemini CLI",
  58: "Claude Code",
  59: "Codex",
  60: "Antigravity",
};
const BEDROCK: ReadonlySet<number> = new Set([32, 62]);
const VERTEX_AI: ReadonlySet<number> = new Set([42, 61]);

/** A channel of one-hub or done-hub as new-api would have it, with the numbers used here; null: it is left out, and reported. */
export function channelAsKin(row: SourceRow, report: Report): SourceRow | null {
  const type = integerIn(row, "type", OPENAI);
  const label = `#${integerIn(row, "id")} ${textOf(row, "name")}`;
  const none = NO_COUNTERPART[type];
  if (none) {
    report.skip(KIND, `${label}: ${none} has no counterpart here`);
    return null;
  }
  const isCustom = AT_ITS_ADDRESS.has(type);
  const baseUrl = textOf(row, "base_url") || (COMPATIBLE[type] ?? "");
  if (isCustom && baseUrl === "") {
    report.skip(KIND, `${label}: it has no address, which a channel of type ${type} needs`);
    return null;
  }
  return {
    ...row,
    ...{ type: isCustom || COMPATIBLE[type] ? OPENAI : (RENUMBERED[type] ?? type), key: keyOf(row, type) },
    base_url: baseUrl,
    other: otherOf(row, type),
    setting: JSON.stringify({
      ...(textOf(row, "proxy") && { proxy: textOf(row, "proxy") }),
      ...(flagOf(row, "pass_through_body") && { pass_through_body_enabled: true }),
      // There 0 is no ratio.
      ...(Number(textOf(row, "cost_ratio")) > 0 && { cost_ratio: Number(textOf(row, "cost_ratio")) }),
    }),
    param_override: parametersOf(row, label, report),
    header_override: JSON.stringify({ ...objectOf(row, "model_headers"), ...objectOf(row, "header_override") }),
  };
}

/** Keys of Bedrock begin with the region there, and end with it here. */
function keyOf(row: SourceRow, type: number): string {
  const key = textOf(row, "key");
  if (!BEDROCK.has(type)) return key;
  const [region, ...rest] = key.split("|");
  return [...rest, region].join("|");
}

/** Vertex AI has `region,region|project` there; further regions and the project, which the key names, are not needed here. */
const otherOf = (row: SourceRow, type: number): string => {
  const other = textOf(row, "other");
  return VERTEX_AI.has(type) ? (other.split("|")[0]?.split(",")[0]?.trim() ?? "") : other;
};

/** Members of `custom_parameter` that say how the others are set. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(["overwrite", "per_model", "pre_add", "remove_params", "stream"]);

/** `custom_parameter` as overrides: members are set where a request lacks them, or always; some go, by the upstream's model or always. */
function parametersOf(row: SourceRow, label: string, report: Report): string {
  const parameters = objectOf(row, "custom_parameter");
  if (parameters.pre_add === true) report.remark(KIND, `${label}: pre_add of its custom parameters has no counterpart`);
  const isByModel = parameters.per_model === true;
  const groups = isByModel
    ? Object.entries(parameters).map(([model, members]) => ({ model, members: recordOf(members) }))
    : [{ model: null, members: parameters }];
  const operations = groups.flatMap(({ model, members }) => {
    if (!members) return [];
    const shared = model === null ? {} : { conditions: [{ path: "model", mode: "full", value: model }] };
    const keepsOrigin = parameters.overwrite !== true && { keep_origin: true };
    const removed: readonly unknown[] = Array.isArray(members.remove_params) ? members.remove_params : [];
    return [
      ...removed.map((path) => ({ mode: "delete", path, ...shared })),
      ...Object.entries(members)
        .filter(([name]) => !INSTRUCTIONS.has(name))
        .map(([name, value]) => ({ mode: "set", path: name.replaceAll(".", "\\."), value, ...keepsOrigin, ...shared })),
    ];
  });
  return operations.length === 0 ? "" : JSON.stringify({ operations });
}
