import type { Database } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Family } from "./detect-family.ts";
import type { Report } from "./report.ts";
import type { Source } from "./source.ts";

/** What every step of an import works with. */
export type Migration = Readonly<{
  source: Source;
  family: Family;
  database: Database;
  vault: Vault;
  /** Read and report, write nothing. */
  isDry: boolean;
  report: Report;
}>;

/** Ids at the source → ids here. */
export type IdMap = ReadonlyMap<number, number>;

const ROWS_A_STATEMENT = 500;

/** Calls `insert` with parts of `rows` that fit into one statement. */
export async function inStatements<T>(rows: readonly T[], insert: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    await insert(rows.slice(start, start + ROWS_A_STATEMENT));
  }
}

/** Texts as the literal of a text[] parameter. */
export const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
