import { requireRow } from "../../../../db/require-row.ts";
import { STORED_HOLD_NAMES } from "../../../../db/schema/wallet/ledger.ts";
import type { Sql, Statements } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { CopyState } from "../../journal/copy/journal-copy.ts";

/** How long a process counts as alive after its last renewal. */
export const LEASE_SECONDS = 30;

/** What others need to know of a process's journal when it dies. */
export type JournalState = Readonly<{
  /** Host and data directory. */
  location: string;
  /** Charges that are not in the database yet. */
  unwritten: number;
  /** Epoch seconds at which the oldest of them was made; null: there is none. */
  unwrittenSince: number | null;
  /** Charges that came since this was last reported. */
  recentCharges: number;
  journalCopy: CopyState;
}>;

type Lease = Readonly<{
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

/** Which processes count as dead: these, or all except one and holds that outlive processes. */
type Dead = Readonly<{ ids: readonly string[] } | { except: string }>;

/** Gives back all that dead processes held and forgets them; locks users before keys before budgets. Answers their ids. */
export async function releaseDeadProcesses(sql: Statements, dead: Dead): Promise<string[]> {
  const ids = "ids" in dead ? [...dead.ids] : [];
  const except = "ids" in dead ? null : dead.except;
  const rows = await sql<{ id: string }[]>`
    with dead as materialized (
      select id from processes
      where id = any(${ids}::text[])
        or (id <> ${except}::text and id not like ${STORED_HOLD_NAMES})
      for update skip locked
    ),
    freed as (
      delete from holds h using dead d where h.process_id = d.id returning h.subject, h.subject_id, h.amount
    ),
    sums as materialized (
      select subject, subject_id as id, sum(amount)::bigint as amount from freed group by subject, subject_id
    ),
    locked_users as materialized (
      select u.id from users u join sums s on s.subject = 'user' and s.id = u.id order by u.id for update of u
    ),
    freed_users as (
      update users u set held = greatest(0, u.held - s.amount)
      from sums s join locked_users using (id) where s.subject = 'user' and u.id = s.id
    ),
    locked_tokens as materialized (
      select t.id from tokens t join sums s on s.subject = 'token' and s.id = t.id
      where (select count(*) from locked_users) >= 0 order by t.id for update of t
    ),
    freed_tokens as (
      update tokens t set held = greatest(0, t.held - s.amount)
      from sums s join locked_tokens using (id) where s.subject = 'token' and t.id = s.id
    ),
    locked_budgets as materialized (
      select b.id from budgets b join sums s on s.subject = 'budget' and s.id = b.id
      where (select count(*) from locked_tokens) >= 0 order by b.id for update of b
    ),
    freed_budgets as (
      update budgets b set held = greatest(0, b.held - s.amount)
      from sums s join locked_budgets using (id) where s.subject = 'budget' and b.id = s.id
    ),
    forgotten as (delete from processes p using dead d where p.id = d.id)
    select id from dead`;
  return rows.map((row) => row.id);
}
