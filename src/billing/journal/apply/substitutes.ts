import type { UsageRecord } from "../../types.ts";
import { recordText, tryReadRecord, wrongField } from "./record-text.ts";

/** The text of the same record within its bounds; one that is no valid record stays as it is. */
export function rewrittenText(text: string): string {
  const record = validRecord(text);
  return record ? recordText(record) : text;
}

/** In place of names that the database may have refused. */
const UNKNOWN = "unknown";

/**
 * The text of a record that charges the same and has nothing but numbers, so that a row in the log can't be refused; null: there
 * is nothing to charge, or the text is no valid record.
 */
export function withoutRow(text: string): string | null {
  const record = validRecord(text);
  if (!record || (record.quota === 0 && record.included === undefined)) return null;
  const { request_id } = record.other;
  const named = { username: "", tokenName: UNKNOWN, modelName: UNKNOWN, group: "", ip: "", content: "" };
  return recordText({ ...record, ...named, other: { request_id }, unlogged: true });
}

function validRecord(text: string): UsageRecord | null {
  const record = tryReadRecord(text);
  return record && wrongField(record) === null ? record : null;
}
