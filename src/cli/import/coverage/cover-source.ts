import type { Source } from "../source.ts";
import { type ColumnFacts, fatesOf } from "./column-facts.ts";
import type { Family } from "./detect-family.ts";
import { factsOf } from "./facts.ts";

/** A group of columns of one table, or a table as such, with the same fate. */
export type CoverageLine = Readonly<{
  table: string;
  /** Empty: the table as such. */
  columns: readonly string[];
  fate: "taken" | "converted" | "left out" | "left out, unknown";
  because: string;
  /** Rows that have a value there; null: not counted. */
  rows: number | null;
}>;

/** The log is not read a second time, only to count values. */
const UNCOUNTED = new Set(["logs", "LiteLLM_SpendLogs"]);
/** Rows of tables that are left out are counted up to this. */
const MOST_COUNTED = 1000;

/**
 * Every table and column that a source has, with what becomes of each. Those that the facts of its gateway do not know are left
 * out, and named.
 */
export async function coverSource(source: Source, family: Family): Promise<readonly CoverageLine[]> {
  const facts = factsOf(family);
  const byName = new Map(Object.entries(facts).map(([name, table]) => [name.toLowerCase(), table]));
  const lines: CoverageLine[] = [];
  for (const table of (await source.tables()).toSorted()) {
    const known = byName.get(table.toLowerCase());
    if (known === undefined || typeof known === "string") {
      const rows = await source.countRows(table, MOST_COUNTED);
      const fate = known === undefined ? "left out, unknown" : "left out";
      lines.push({ table, columns: [], fate, because: known ?? "", rows });
    } else lines.push(...(await coverColumns(source, table, known)));
  }
  return lines;
}

async function coverColumns(source: Source, table: string, facts: ColumnFacts): Promise<CoverageLine[]> {
  const fates = fatesOf(facts);
  const groups = Map.groupBy([...(await source.columns(table))], (column) => {
    const { fate = "left out, unknown", because = "" } = fates.get(column.toLowerCase()) ?? {};
    return `${fate}\n${because}`;
  });
  const lines = [...groups].map(([key, columns]): CoverageLine => {
    const [, because = ""] = key.split("\n");
    const fate = fates.get((columns[0] ?? "").toLowerCase())?.fate ?? "left out, unknown";
    return { table, columns, fate, because, rows: null };
  });
  if (UNCOUNTED.has(table)) return lines;
  const leftOut = lines.filter(({ fate }) => fate.startsWith("left out"));
  const names = leftOut.flatMap(({ columns }) => columns);
  const counts = await source.countValues(table, names);
  const countOf = new Map(names.map((name, index) => [name, counts[index] ?? 0]));
  return lines.map((line) => ({
    ...line,
    rows: line.fate.startsWith("left out") ? Math.max(...line.columns.map((name) => countOf.get(name) ?? 0)) : null,
  }));
}

/** The lines as text, a table after the other. */
export function writeCoverage(lines: readonly CoverageLine[]): string {
  const texts = lines.map((line) => `  ${fateOf(line)}: ${[line.table, ...line.columns].join(" ")}`);
  return texts.length === 0 ? "" : ["tables and columns", ...texts, ""].join("\n");
}

function fateOf({ columns, fate, because, rows }: CoverageLine): string {
  if (fate === "converted") return `converted (${because})`;
  const isMore = columns.length === 0 && rows === MOST_COUNTED;
  const counted = rows === null ? "" : ` (${isMore ? "at least " : ""}${rows} ${rows === 1 ? "row" : "rows"})`;
  return `${fate}${counted}${because && `, because ${because}`}`;
}
