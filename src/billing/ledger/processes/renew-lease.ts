import { requireRow } from "../../../../db/require-row.ts";
import type { Sql } from "../../../../db/types.ts";
import type { CopyState } from "../../journal/copy/journal-copy.ts";
import { STORED_HOLD_NAMES } from "../holds/hold-name.ts";

/** How long a process counts as alive after it last said so. */
export const LEASE_SECONDS = 30;

/** What others need to know of a process's journal when it dies. */
export type JournalState = Readonly<{
  /** Host and data directory. */
  location: string;
  /** Charges that are not in the database yet. */
  unwritten: number;
  /** Epoch seconds at which the oldest of them was made; null: there is none. */
  unwrittenSince: number | null;
  /** Charges that came since this was last said. */
  recentCharges: number;
  journalCopy: CopyState;
}>;

export type Lease = Readonly<{
  /** The process was not registered, so its holds are gone. */
  unknown: boolean;
  /** Processes whose lease runs, this one included. */
  live: number;
  /** Processes whose lease has run out: dead, or cut off from the database. */
  expired: number;
}>;

/** Registers the process, or says that it is still alive, and how its journal stands. */
export async function renewLease(sql: Sql, processId: string, journal?: JournalState): Promise<Lease> {
  const journalColumns = journal
    ? sql`, location = excluded.location, unwritten = excluded.unwritten, unwritten_since = excluded.unwritten_since,
        recent_charges = excluded.recent_charges, journal_copy = excluded.journal_copy`
    : sql``;
  const row = requireRow(
    await sql<Lease[]>`
    with others as materialized (
      select count(*) filter (where lease_until >= extract(epoch from now())::bigint)::integer as live,
        count(*) filter (where lease_until < extract(epoch from now())::bigint)::integer as expired
      from processes where id <> ${processId} and id not like ${STORED_HOLD_NAMES}
    ),
    renewed as (
      insert into processes (id, started_at, lease_until, location, unwritten, unwritten_since, recent_charges, journal_copy)
      values (${processId}, extract(epoch from now())::bigint, extract(epoch from now())::bigint + ${LEASE_SECONDS},
        ${journal?.location ?? ""}, ${journal?.unwritten ?? 0}, ${journal?.unwrittenSince ?? null},
        ${journal?.recentCharges ?? 0}, ${journal?.journalCopy ?? "none"})
      on conflict (id) do update set lease_until = excluded.lease_until ${journalColumns}
      returning (xmax = 0) as unknown
    )
    select renewed.unknown, others.live + 1 as live, others.expired from renewed, others`,
  );
  return row;
}
