import {
  CANNOT,
  FEATURES,
  type FeatureName,
  PROVIDERS,
  type ProviderName,
  UNSAID,
} from "../../src/relay/matrix/cells.ts";

const START = "<!-- matrix -->";
const END = "<!-- /matrix -->";
const DOORS = { chat: "Chat", responses: "Responses", messages: "Messages", gemini: "Gemini" } as const;

/** The matrix as a Markdown table: a column a provider dialect, a row a feature, the reasons of what cannot be below it. */
export function compatibilityTable(): string {
  const providers = Object.keys(PROVIDERS) as ProviderName[];
  const reasons: string[] = [];
  const noteOf = (reason: string): string => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return String(reasons.indexOf(reason) + 1);
  };
  const rowOf = (feature: FeatureName): string => {
    const doors = (Object.keys(DOORS) as (keyof typeof DOORS)[]).filter((door) => UNSAID[door]?.includes(feature));
    const unsaid = doors.map((door) =>
      noteOf(`Clients of ${DOORS[door]} cannot ask for it: their format has no word for it`),
    );
    const cells = providers.map((provider) => {
      const reason = CANNOT[provider]?.[feature];
      return reason === undefined ? "yes" : `no (${noteOf(reason)})`;
    });
    return line([FEATURES[feature] + (unsaid.length > 0 ? ` (${unsaid.join(", ")})` : ""), ...cells]);
  };
  const rows = (Object.keys(FEATURES) as FeatureName[]).map(rowOf);
  const head = line(["", ...providers.map((provider) => PROVIDERS[provider])]);
  const rule = line(["---", ...providers.map(() => "---")]);
  return [head, rule, ...rows, "", ...reasons.map((reason, at) => `${at + 1}. ${reason}`)].join("\n");
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The text with the table between its markers. Throws when it has no markers. */
export function withTable(text: string): string {
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 || end < start) throw new Error(`The text has no ${START} … ${END}`);
  return `${text.slice(0, start + START.length)}\n${compatibilityTable()}\n${text.slice(end)}`;
}
