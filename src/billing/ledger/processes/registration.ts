import type { Sql } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { releaseDeadProcesses } from "./release-dead-processes.ts";
import { type JournalState, LEASE_SECONDS, renewLease } from "./renew-lease.ts";

const LEASE_MS = LEASE_SECONDS * 1000;
const RENEW_MS = LEASE_MS / 3;

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

/** Says that this process is alive, counts those that are, and releases what dead ones held. */
export class Registration {
  #timer: Timer | null = null;
  #renewing: Promise<void> = Promise.resolve();
  #aliveSince = 0;
  #liveProcesses = 1;
  /** The last renewal that failed. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {}

  /** Processes on this database, this one included, that were alive when the database was last asked. */
  get liveProcesses(): number {
    return this.#liveProcesses;
  }

  /**
   * Registers the process. A sole process releases whatever others have left. Returns how many processes have let their lease
   * run out and may come back. Rejects when the database fails.
   */
  async start(): Promise<number> {
    const { sql, processId, sole, readJournal } = this.parts;
    const { live, expired } = await renewLease(sql, processId, readJournal());
    this.#aliveSince = performance.now();
    if (sole) {
      await releaseDeadProcesses(sql, { except: processId });
      return 0;
    }
    this.#liveProcesses = live;
    this.#timer = setInterval(() => void this.renew(), RENEW_MS);
    this.#timer.unref();
    return expired;
  }

  /** Forgets the process and releases what it still holds. */
  async end(): Promise<void> {
    this.stop();
    // It would register the process again.
    await this.#renewing;
    await releaseDeadProcesses(this.parts.sql, { ids: [this.parts.processId] });
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Renews the lease now: another process came or went. Never rejects. */
  renew(): Promise<void> {
    if (this.#timer) this.#renewing = this.#renewing.then(() => this.#renew());
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    if (!this.#timer) return;
    const { sql, processId, readJournal, onLost, findDead, log } = this.parts;
    try {
      const { unknown, live } = await renewLease(sql, processId, readJournal());
      const now = performance.now();
      // After an outage of the database all leases have run out: the others get time to renew theirs.
      this.#liveProcesses = now - this.#failedAt < LEASE_MS ? Math.max(live, this.#liveProcesses) : live;
      if (unknown) await onLost();
      if (now - this.#aliveSince >= LEASE_MS) findDead();
    } catch (error) {
      this.#failedAt = performance.now();
      this.#aliveSince = this.#failedAt;
      log.warn({ error }, "the process can't say that it is alive");
    }
  }
}
