import type { AuditEntry } from "../../../src/domain/logs/audit/list-audit.ts";

/** What a field was and is; undefined: it was or is not there. */
export type Difference = Readonly<{ field: string; before: unknown; after: unknown }>;

/** The fields that differ, in the order in which they are told. */
export function differencesOf({ before, after }: Pick<AuditEntry, "before" | "after">): readonly Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((difference) => JSON.stringify(difference.before) !== JSON.stringify(difference.after));
}
