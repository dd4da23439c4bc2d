import { STORED_HOLD_NAMES } from "../../../../db/schema/wallet/ledger.ts";
import type { Sql, Statements } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { CopyResult, JournalCopies } from "../../journal/copy/take-copies.ts";
import type { RecordSink } from "../../journal/pump.ts";
import { type JournalState, LEASE_SECONDS, releaseDeadProcesses } from "./registration.ts";

type Parts = Readonly<{
  sql: Sql;
  processId: string;
  /** Journals that others keep in Redis too; null without Redis. */
  copies: JournalCopies | null;
  /** Where the records of this dead process go. */
  sinkFor(processId: string): RecordSink;
  /** Brings the journals of dead processes in this data directory to the database. */
  adoptDirectories(): Promise<void>;
  /** Charges were made, or holds released, that this process did not make. */
  onChanged(): Promise<void>;
  /** A process died with charges, or maybe with charges, that nobody has. */
  onLost(lost: LostJournal): void;
  log: Logger;
}>;

/** Finds processes that died, charges what they left where it can be found, and says so where it cannot. */
export class LostProcesses {
  #lost: readonly LostJournal[] = [];
  #isSearching = false;

  constructor(private readonly parts: Parts) {}

  /** As of the last search, of all processes. */
  get lost(): readonly LostJournal[] {
    return this.#lost;
  }

  /** Reads what other processes have found. Rejects when the database does not answer. */
  async refresh(): Promise<void> {
    this.#lost = await listLostJournals(this.parts.sql);
  }

  /** One search; none while another one is under way. Never rejects. */
  async search(): Promise<void> {
    if (this.#isSearching) return;
    this.#isSearching = true;
    try {
      await this.#search();
    } catch (error) {
      this.parts.log.warn({ error }, "the journals of processes that died could not be looked for");
    } finally {
      this.#isSearching = false;
    }
  }

  async #search(): Promise<void> {
    const { sql, processId, adoptDirectories, onChanged, onLost, log } = this.parts;
    await adoptDirectories();
    // Before holds are released: the charges are taken out of them.
    const results = await this.#takeCopies();
    const isLost = (dead: ExpiredProcess) => mayHaveLost(dead, results.get(dead.processId));
    const expired = await releaseExpired(sql, processId, isLost);
    for (const dead of expired) {
      if (isLost(dead)) onLost(dead);
      else log.warn({ process: dead.processId }, "a process died: its holds are released, its charges are written");
    }
    await this.#forgetCopies(results);
    await this.refresh();
    if (expired.length > 0 || results.size > 0) await onChanged();
  }

  /** Charges what dead processes have in Redis; by their ids. What fails is tried again with the next search. */
  async #takeCopies(): Promise<Map<string, CopyResult>> {
    const { sql, copies, processId, sinkFor, log } = this.parts;
    const results = new Map<string, CopyResult>();
    if (!copies) return results;
    try {
      const ids = await copies.list();
      const living = ids.length > 0 ? await listLivingProcesses(sql) : new Set();
      for (const id of ids) {
        if (id === processId || living.has(id)) continue;
        results.set(id, await copies.take(id, sinkFor(id)));
      }
    } catch (error) {
      log.warn({ error }, "journals of processes that died could not be taken from redis");
    }
    return results;
  }

  async #forgetCopies(results: ReadonlyMap<string, CopyResult>): Promise<void> {
    const { sql, copies, log } = this.parts;
    const lost = new Map((await listLostJournals(sql)).map((journal) => [journal.processId, journal]));
    for (const [id, result] of results) {
      await copies?.forget(id).catch((error) => log.warn({ error, process: id }, "a copy stays in redis"));
      // Redis was away when the process was found dead.
      if (result === "taken" && lost.get(id)?.journalCopy === "complete") await forgetLostJournal(sql, id);
    }
  }
}

/** A quiet process that was found in time left nothing; one that does not say what it has is not judged. */
function mayHaveLost(dead: ExpiredProcess, copy: CopyResult | undefined): boolean {
  if (dead.location === "" || (copy === "taken" && dead.journalCopy === "complete")) return false;
  return dead.unwritten > 0 || dead.recentCharges > 0 || dead.expiredForSeconds > LEASE_SECONDS;
}

/** A process that died and left charges, or may have, that are not in the database. Times are epoch seconds. */
export type LostJournal = Readonly<
  Pick<JournalState, "location" | "unwritten" | "unwrittenSince" | "journalCopy"> & {
    processId: string;
    /** Its last sign of life: the other figures are as of then, and calls that ended later may be uncharged too. */
    lastSeenAt: number;
  }
>;

/** A process whose lease has run out. */
type ExpiredProcess = LostJournal & Readonly<{ recentCharges: number; expiredForSeconds: number }>;

/** Ids of processes that live, as far as the database knows. */
async function listLivingProcesses(sql: Sql): Promise<Set<string>> {
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
