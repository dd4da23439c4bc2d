import { reportsBalance } from "../../../src/domain/channels/upstream/update-balance.ts";
import { channelTypes } from "../../../src/providers/registry.ts";
import {
  CANNOT,
  FEATURES,
  type FeatureName,
  PROVIDERS,
  type ProviderName,
  UNSUPPORTED,
} from "../../../test/contracts/matrix/cells.ts";
import { between } from "./page-parts.ts";
import { servicesTable, sourcesTable } from "./services-table.ts";

const CLIENT_FORMATS = {
  chat: "Chat",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
  interactions: "Interactions",
} as const;

/** The matrix as a Markdown table: a column a provider dialect, a row a feature, the reasons of what cannot be below it. */
export function compatibilityTable(): string {
  const providers = Object.keys(PROVIDERS) as ProviderName[];
  const reasons: string[] = [];
  const noteOf = (reason: string): string => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return String(reasons.indexOf(reason) + 1);
  };
  const rowOf = (feature: FeatureName): string => {
    const attempts = (Object.keys(CLIENT_FORMATS) as (keyof typeof CLIENT_FORMATS)[]).filter((format) =>
      UNSUPPORTED[format]?.includes(feature),
    );
    const dropped = attempts.map((format) => noteOf(`The ${CLIENT_FORMATS[format]} format cannot express it`));
    const cells = providers.map((provider) => {
      const reason = CANNOT[provider]?.[feature];
      return reason === undefined ? "yes" : `no${notes([noteOf(reason)])}`;
    });
    return line([FEATURES[feature] + (dropped.length > 0 ? notes(dropped) : ""), ...cells]);
  };
  const rows = (Object.keys(FEATURES) as FeatureName[]).map(rowOf);
  const head = line(["", ...providers.map((provider) => PROVIDERS[provider])]);
  const rule = line(["---", ...providers.map(() => "---")]);
  return [head, rule, ...rows, "", ...reasons.map((reason, at) => `${at + 1}. ${reason}`)].join("\n");
}

const notes = (numbers: readonly string[]): string => `<sup>${numbers.join(",")}</sup>`;

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Every channel type as a Markdown table: its number, what it serves, and what the console can fetch from it. */
export function channelTypeTable(): string {
  const rows = channelTypes.map(({ id, name, capabilities, listsModels }) => {
    const fetched = [...(listsModels ? ["models"] : []), ...(reportsBalance(id) ? ["balance"] : [])];
    return line([String(id), name, capabilities.join(", "), fetched.join(", ") || "–"]);
  });
  return [line(["Type", "Name", "Serves", "Console fetches"]), line(Array(4).fill("---")), ...rows].join("\n");
}

/** The text with both tables of services between their markers. Throws when it has no markers. */
export const withServices = (text: string): string =>
  between(between(text, "services", servicesTable()), "sources", sourcesTable());

/** The text with both tables between their markers. Throws when it has no markers. */
export const withTable = (text: string): string =>
  between(between(text, "matrix", compatibilityTable()), "channel-types", channelTypeTable());
