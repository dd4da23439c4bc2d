import { type ColumnFacts, fatesOf } from "../../../src/cli/import/coverage/column-facts.ts";
import type { Family } from "../../../src/cli/import/coverage/detect-family.ts";
import { factsOf } from "../../../src/cli/import/coverage/facts.ts";
import { REAL_SCHEMAS } from "../../../test/support/import/real-schemas.ts";
import { between } from "./page-parts.ts";

const HEAD = "| Table | Columns | What becomes of them |\n| --- | --- | --- |";

/** What becomes of each table and column of a gateway's newest release, as a Markdown table: a row for columns of one fate. */
function importTable(family: Family): string {
  const facts = factsOf(family);
  const schema = Object.entries(REAL_SCHEMAS[family]).toSorted(([a], [b]) => a.localeCompare(b));
  const rows = schema.flatMap(([table, columns]) => {
    const known = facts[table] ?? "unknown";
    if (typeof known === "string") return [`| \`${table}\` | all | left out: ${known} |`];
    return rowsOf(table, Object.keys(columns), known);
  });
  return [HEAD, ...rows].join("\n");
}

function rowsOf(table: string, columns: readonly string[], facts: ColumnFacts): string[] {
  const fates = fatesOf(facts);
  const textOf = (column: string): string => {
    const { fate = "left out", because = "unknown" } = fates.get(column.toLowerCase()) ?? {};
    return because ? `${fate}: ${because}` : fate;
  };
  return [...Map.groupBy(columns, textOf)].map(
    ([text, names]) => `| \`${table}\` | ${names.map((name) => `\`${name}\``).join(" ")} | ${text} |`,
  );
}

const FAMILIES: readonly Family[] = ["new-api", "one-api", "one-hub", "done-hub", "Veloera", "LiteLLM"];

/** The page with the table of each gateway between its markers. Throws when it has no markers. */
export const withImports = (text: string): string =>
  FAMILIES.reduce((page, family) => between(page, `import-${family.toLowerCase()}`, importTable(family)), text);
