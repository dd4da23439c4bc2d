import type { Sql } from "../../../db/types.ts";
import type { Logger } from "../../lib/log.ts";
import { releaseDeadProcesses } from "./release-dead-processes.ts";
import { type JournalState, LEASE_SECONDS, renewLease } from "./renew-lease.ts";

const RENEW_MS = (LEASE_SECONDS * 1000) / 3;

type Parts = Readonly<{
  sql: Sql;
  processId: string;
  /** No other process works on this database. */
  sole: boolean;
  /** How the journal stands; called once a renewal. */
  readJournal(): JournalState;
  /** Others took this process for dead and released its holds. */
  onLost(): Promise<void>;
  /** Looks for processes that died, at a time when those who live had time to say so. Not waited for. */
  findDead(): void;
  log: Logger;
}>;

/** Says that this process is alive, and releases what dead ones held. */
export class Registration {
  #timer: Timer | null = null;
  #aliveSince = 0;

  constructor(private readonly parts: Parts) {}

  /** Registers the process. A sole process releases whatever others have left. Rejects when the database fails. */
  async start(): Promise<void> {
    const { sql, processId, sole, readJournal } = this.parts;
    await renewLease(sql, processId, readJournal());
    this.#aliveSince = performance.now();
    if (sole) await releaseDeadProcesses(sql, { except: processId });
    else this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
    this.#timer?.unref();
  }

  /** Forgets the process and releases what it still holds. */
  async end(): Promise<void> {
    this.stop();
    await releaseDeadProcesses(this.parts.sql, { ids: [this.parts.processId] });
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const { sql, processId, readJournal, onLost, findDead, log } = this.parts;
    try {
      const { unknown } = await renewLease(sql, processId, readJournal());
      if (unknown) await onLost();
      // After an outage of the database all leases have run out: the others get time to renew theirs.
      if (performance.now() - this.#aliveSince >= LEASE_SECONDS * 1000) findDead();
    } catch (error) {
      this.#aliveSince = performance.now();
      log.warn({ error }, "the process can't say that it is alive");
    }
  }
}
