import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../lib/runtime/log.ts";
import type { Billing, StoredHold } from "./billing.ts";
import { boundCharge } from "./bounds/bounds.ts";
import { recordText } from "./journal/apply/record-text.ts";
import { readUnwritten } from "./journal/inspect-journal.ts";
import { Journal, type WrittenUpTo } from "./journal/journal.ts";
import { type Claim, makeClaimedDirectory } from "./journal/segments/adopt-orphans.ts";
import { Account } from "./ledger/balances/account.ts";
import { InsufficientQuota, LedgerUnavailable } from "./ledger/errors.ts";
import type { Hold } from "./ledger/holds.ts";
import type { ReserveRequest } from "./ledger/ledger.ts";
import { Outage } from "./ledger/outage.ts";
import type { Balance, Subject } from "./subject.ts";
import type { UsageRecord } from "./types.ts";

type Parts = Readonly<{
  dataDir: string;
  /** Balances as they were last known. */
  balances: Readonly<Record<Subject, ReadonlyMap<number, Omit<Balance, "id">>>>;
  /** The records of the process that knew them so are in these balances up to here. */
  writtenUpTo: WrittenUpTo;
  /** Processes on this database then, this one's predecessor included. */
  liveProcesses: number;
  /** 0 to 1: what this process may spend of its share of a free balance. */
  spendRatio: number;
  log: Logger;
}>;

type OwnJournal = Readonly<{ journal: Journal; claim: Claim }>;

/** A hold on balances of a snapshot; `next` is what it becomes when the database is back. */
type OutageHold = { readonly amount: number; readonly request: ReserveRequest; next: Promise<Hold | null> | null };

/**
 * Reserves and charges while the database has not answered since the start: each account has the share of its last known
 * balance that an outage allows, less what the journals of earlier processes hold. Charges wait in a journal of its own. Once
 * `handOver` is called everything goes to the billing of the database.
 */
export class OutageBilling {
  readonly #accounts: Record<Subject, Map<number, Account>> = { user: new Map(), token: new Map(), budget: new Map() };
  readonly #outage: Outage;
  readonly #root: string;
  readonly #open = new Set<OutageHold>();
  #journal: OwnJournal;
  #pendingRecords = 0;
  #billing: Billing | null = null;
  /** Calls that come while the database's billing opens wait for its end. */
  #opening: PromiseWithResolvers<void> | null = null;

  private constructor(private readonly parts: Parts) {
    this.#outage = new Outage({ spendRatio: parts.spendRatio, liveProcesses: () => parts.liveProcesses });
    this.#outage.begin(performance.now());
    this.#root = join(parts.dataDir, "journal");
    mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    this.#journal = this.#openJournal();
  }

  /** Reads what earlier processes have not written, and opens a journal. Rejects when the directory can't be used. */
  static async open(parts: Parts): Promise<OutageBilling> {
    const unwritten: UsageRecord[] = [];
    await readUnwritten(join(parts.dataDir, "journal"), parts.writtenUpTo, (record) => unwritten.push(record));
    const billing = new OutageBilling(parts);
    for (const record of unwritten) billing.#expect(record);
    return billing;
  }

  /** Charges, of this process and earlier ones, that are not in the database. */
  get pendingRecords(): number {
    return this.#pendingRecords;
  }

  /** Rejects InsufficientQuota, and LedgerUnavailable when only the share of the outage is spent. */
  async reserve(request: ReserveRequest): Promise<OutageHold> {
    if (this.#opening) {
      await this.#opening.promise;
      return this.reserve(request);
    }
    if (this.#billing) return this.#reserveIn(this.#billing, request);
    if (this.#journal.journal.isExposed)
      throw new LedgerUnavailable("the disk refuses charges, and the database is away");
    const amount = boundCharge(request.amount);
    const accounts = this.#accountsOf(request);
    // The key's refusal says more: the user's balance may be ample.
    for (const account of accounts.toReversed()) {
      if (account.coversInOutage(amount, this.#outage)) continue;
      if (account.isBeyond(amount)) throw new InsufficientQuota(account.subject, account.available, account.id);
      throw new LedgerUnavailable("the database does not answer, and the share of the last known balance is spent");
    }
    for (const account of accounts) account.hold(amount);
    const hold: OutageHold = { amount, request, next: null };
    this.#open.add(hold);
    return hold;
  }

  /** Ends a hold with a charge; resolves when the record survives the process. */
  async settle(hold: OutageHold, record: UsageRecord): Promise<void> {
    this.#release(hold);
    if (!this.#billing || !hold.next) return this.record(record);
    const next = await hold.next;
    return next ? this.#billing.settle(next, record) : this.#billing.record(record);
  }

  refund(hold: OutageHold): void {
    this.#release(hold);
    void hold.next?.then((next) => next && this.#billing?.refund(next));
  }

  record(record: UsageRecord): Promise<void> {
    if (this.#billing) return this.#billing.record(record);
    const survives = this.#journal.journal.append(recordText(record));
    this.#expect(record);
    return survives;
  }

  /** Rejects until the database is back: holds that outlive a process live there. */
  async keepHold(hold: OutageHold, name: string): Promise<void> {
    const next = await hold.next;
    this.#release(hold);
    if (!this.#billing || !next) throw new LedgerUnavailable("the database does not answer");
    return this.#billing.keepHold(next, name);
  }

  async settleStored(retained: StoredHold, records: readonly UsageRecord[]): Promise<void> {
    if (!this.#billing) throw new LedgerUnavailable("the database does not answer");
    return this.#billing.settleStored(retained, records);
  }

  /**
   * The database answers: leaves the journal so far to whoever opens its billing next, and has calls that come wait. What is
   * charged meanwhile goes to another journal.
   */
  pause(): void {
    this.#opening = Promise.withResolvers();
    this.#opening.promise.catch(() => {});
    const { journal, claim } = this.#journal;
    this.#journal = this.#openJournal();
    journal.close();
    claim.release();
  }

  /** It went away again before its billing was open: goes on as before. */
  resume(): void {
    this.#opening?.resolve();
    this.#opening = null;
  }

  /** From now on `billing` reserves and charges, also for the calls that are open, and takes over the journal. */
  handOver(billing: Billing): void {
    this.#billing = billing;
    for (const hold of this.#open) {
      // What the balance no longer covers is charged without a hold.
      const reserve = async () => billing.reserve({ ...hold.request, amount: hold.amount });
      hold.next = reserve().catch(() => null);
    }
    this.resume();
    this.close();
    void billing.searchLostProcesses();
  }

  /** What is in the journal stays for the next start. */
  close(): void {
    this.#journal.journal.close();
    this.#journal.claim.release();
  }

  async #reserveIn(billing: Billing, request: ReserveRequest): Promise<OutageHold> {
    const next = await billing.reserve(request);
    return { amount: next.amount, request, next: Promise.resolve(next) };
  }

  #release(hold: OutageHold): void {
    if (!this.#open.delete(hold)) return;
    for (const account of this.#accountsOf(hold.request)) account.release(hold.amount);
  }

  #expect(record: UsageRecord): void {
    this.#pendingRecords += 1;
    const { userId, tokenId, tokenLimited, budgets, plan, included } = record;
    const payers =
      included === undefined
        ? { token: { id: tokenId, limited: tokenLimited }, budgets: budgets ?? [], plan }
        : { token: null, plan: included };
    const charge = included === undefined ? boundCharge(record.quota) : 1;
    for (const account of this.#accountsOf({ userId, ...payers, amount: 0 })) account.expect(charge);
  }

  #accountsOf({ userId, token, budgets = [], plan }: ReserveRequest): Account[] {
    const payer = plan === undefined ? this.#account("user", userId) : this.#account("budget", plan);
    const own = [payer, ...(token?.limited ? [this.#account("token", token.id)] : [])];
    return [...own, ...budgets.map((id) => this.#account("budget", id))];
  }

  #account(subject: Subject, id: number): Account {
    const opened = this.#accounts[subject].get(id);
    if (opened) return opened;
    const account = new Account(subject, id, false);
    const balance = this.parts.balances[subject].get(id);
    if (balance) {
      const { quota, held, own } = balance;
      // What the only process before this one had set aside is free again; of several, each leaves the others theirs.
      account.learn(quota, this.parts.liveProcesses > 1 ? held : held - own);
    }
    this.#accounts[subject].set(id, account);
    return account;
  }

  #openJournal(): OwnJournal {
    const id = Bun.randomUUIDv7();
    const claim = makeClaimedDirectory(this.#root, id);
    const journal = new Journal(join(this.#root, id), this.parts.log);
    return { journal, claim };
  }
}
