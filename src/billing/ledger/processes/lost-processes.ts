import type { Sql } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { CopyResult, JournalCopies } from "../../journal/copy/take-copies.ts";
import type { RecordSink } from "../../journal/pump.ts";
import {
  type ExpiredProcess,
  forgetLostJournal,
  type LostJournal,
  listLivingProcesses,
  listLostJournals,
  releaseExpired,
} from "./lost-journals.ts";
import { LEASE_SECONDS } from "./renew-lease.ts";

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
