import type { AuditEntry } from "../../../src/logs/list-audit.ts";

/** What a field was and is; null: it was or is not there. */
export type Difference = Readonly<{ field: string; before: string | null; after: string | null }>;

/** The fields that differ, in the order in which they are told. */
export function differencesOf({ before, after }: Pick<AuditEntry, "before" | "after">): readonly Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ field, before: textOf(before[field]), after: textOf(after[field]) }))
    .filter((difference) => difference.before !== difference.after);
}

const textOf = (value: unknown): string | null => {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
};
