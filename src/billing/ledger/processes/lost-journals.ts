import type { Sql, Statements } from "../../../../db/types.ts";
import { STORED_HOLD_NAMES } from "../holds/hold-name.ts";
import { releaseDeadProcesses } from "./release-dead-processes.ts";
import { type JournalState, LEASE_SECONDS } from "./renew-lease.ts";

/** A process that died and left charges, or may have, that are not in the database. Times are epoch seconds. */
export type LostJournal = Readonly<
  Pick<JournalState, "location" | "unwritten" | "unwrittenSince" | "journalCopy"> & {
    processId: string;
    /** Its last sign of life: the other figures are as of then, and calls that ended later may be uncharged too. */
    lastSeenAt: number;
  }
>;

/** A process whose lease has run out. */
export type ExpiredProcess = LostJournal & Readonly<{ recentCharges: number; expiredForSeconds: number }>;

/** Ids of processes that live, as far as the database knows. */
export async function listLivingProcesses(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from processes where lease_until >= extract(epoch from now())::bigint`;
  return new Set(rows.map(({ id }) => id));
}

const selectExpired = (sql: Statements, except: string) => sql<ExpiredProcess[]>`
  select id as "processId", location, lease_until - ${LEASE_SECONDS}::bigint as "lastSeenAt", unwritten,
    unwritten_since as "unwrittenSince", journal_copy as "journalCopy", recent_charges as "recentCharges",
    extract(epoch from now())::bigint - lease_until as "expiredForSeconds"
  from processes
  where id <> ${except} and id not like ${STORED_HOLD_NAMES} and lease_until < extract(epoch from now())::bigint
  order by id for update skip locked`;

/**
 * Releases what processes held whose lease has run out, and forgets them; of several replicas that come here at the same
 * time one does. Those for which `isLost` says so are noted in the same moment. Answers all that it released.
 */
export function releaseExpired(
  sql: Sql,
  except: string,
  isLost: (process: ExpiredProcess) => boolean,
): Promise<ExpiredProcess[]> {
  return sql.begin(async (tx) => {
    const expired = await selectExpired(tx, except);
    for (const lost of expired.filter(isLost)) {
      await tx`
        insert into lost_journals (process_id, location, last_seen_at, unwritten, unwritten_since, journal_copy)
        values (${lost.processId}, ${lost.location}, ${lost.lastSeenAt}, ${lost.unwritten}, ${lost.unwrittenSince},
          ${lost.journalCopy})
        on conflict (process_id) do nothing`;
    }
    if (expired.length > 0) await releaseDeadProcesses(tx, { ids: expired.map(({ processId }) => processId) });
    return [...expired];
  });
}

/** The longest dead first. */
export async function listLostJournals(sql: Sql): Promise<LostJournal[]> {
  return sql<LostJournal[]>`
    select process_id as "processId", location, last_seen_at as "lastSeenAt", unwritten,
      unwritten_since as "unwrittenSince", journal_copy as "journalCopy"
    from lost_journals order by last_seen_at, process_id`;
}

/** Its charges are in the database, or somebody knows of the loss. Answers whether it was noted as lost. */
export async function forgetLostJournal(sql: Statements, processId: string): Promise<boolean> {
  const rows = await sql`delete from lost_journals where process_id = ${processId} returning 1`;
  return rows.length > 0;
}

/** For operators, without the place, which not everybody may know. */
export function describeLostJournal({ processId, lastSeenAt, unwritten, unwrittenSince }: LostJournal): string {
  const since = unwrittenSince === null ? "" : ` since ${timeOf(unwrittenSince)}`;
  const what = unwritten > 0 ? `${unwritten} unwritten charges${since}` : "charges that may be unwritten";
  return `process ${processId} died with ${what} (last seen ${timeOf(lastSeenAt)})`;
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000", "");
