import type { Statements } from "../../../../db/types.ts";
import { readRecord } from "./record-text.ts";

/** Of these records (texts), those that were not charged yet: what a dead process could not write any more. */
export async function withoutWritten(sql: Statements, records: readonly string[]): Promise<string[]> {
  const keys = records.map(readRecord);
  const rows = await sql<{ place: number }[]>`
    select k.place::integer as place
    from unnest(${keys.map((key) => key.requestId)}::text[], ${keys.map((key) => key.createdAt)}::bigint[])
      with ordinality as k(request_id, created_at, place)
    where exists (select from logs l where l.request_id = k.request_id and l.created_at = k.created_at)
      or exists (select from unlogged_calls u where u.request_id = k.request_id and u.created_at = k.created_at)`;
  const written = new Set(rows.map((row) => row.place - 1));
  return records.filter((_, index) => !written.has(index));
}
