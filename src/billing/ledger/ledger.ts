import type { SettledAccount } from "../journal/apply/apply-batch.ts";
import { SUBJECTS, type Subject } from "../subject.ts";
import type { UsageRecord } from "../types.ts";
import { Backing, type BackingParts } from "./backing.ts";
import type { Account } from "./balances/account.ts";
import { Accounts } from "./balances/accounts.ts";
import { readBalances } from "./balances/load-balances.ts";
import { InsufficientQuota, LedgerUnavailable } from "./errors.ts";
import type { Hold } from "./holds.ts";
import type { Outage } from "./outage.ts";
import type { AccountKey, KnownBalance } from "./processes/peers.ts";

/** A balance read longer ago says nothing about what other processes have left of it. */
const FRESH_MS = 4000;
const REREAD_AFTER_MS = 1500;
const KEEP_FRESH_MS = 60_000;
/** A sole process receives every change. It still reads the balance before it refuses, but not for each call. */
const REREAD_SOLE_AFTER_MS = 1000;
/** In an outage a call that the share does not cover waits only so long for the database to come back. */
const ANSWER_IN_OUTAGE_WITHIN_MS = 300;
const FORGET_AFTER_MS = 600_000;
/** How long a call waits for the database before it is answered from memory or turned away. */
const ANSWER_WITHIN_MS = 5000;
/** The same while the database answers, slowly: its statements wait for each other, or for a processor. */
const ANSWER_WHILE_BUSY_WITHIN_MS = 20_000;

export type ReserveRequest = Readonly<{
  userId: number;
  token: Readonly<{ id: number; limited: boolean }> | null;
  /** Ids of the hard budgets that the call counts in, the narrowest first. */
  budgets?: readonly number[];
  /** The budget of a plan that pays, instead of the user's balance; also one of included calls, where `amount` is 1. */
  plan?: number | undefined;
  /** Quota units, or calls; a whole number ≥ 0. */
  amount: number;
}>;

/** What decides which accounts pay for a call, or paid for a record. */
type Payers = Pick<UsageRecord, "userId" | "included" | "budgets"> & Readonly<{ plan?: number | undefined }>;

/** The balances of users, limited keys and budgets as this process may spend them, and the holds on them. */
export class Ledger {
  readonly accounts: Accounts;
  readonly #backing: Backing;
  readonly #outage: Outage;
  #sweeping = false;
  /** Balances that charges have left since the other processes last received them. */
  readonly #settled = new Set<Account>();
  /** Holds of calls that are under way, and the quota units that they set aside; changed only here. */
  openHolds = 0;
  heldUnits = 0;

  constructor(private readonly parts: BackingParts) {
    this.#outage = parts.outage;
    this.accounts = new Accounts(parts.sole);
    this.#backing = new Backing(parts, {
      onLost: () => this.reacquire(),
      onReturn: (recoveryMs) => this.#secure(recoveryMs),
    });
  }

  /** Sets `amount` aside for a call, on the user, on a limited key and on budgets, if memory says that all suffice; else null. */
  reserveNow(request: ReserveRequest): Hold | null {
    const now = performance.now();
    const { amount } = request;
    const accounts = this.#accountsOf(request, request.token?.limited ? request.token.id : null);
    for (const account of accounts) account.usedAt = now;
    for (const account of accounts) {
      if (!account.covers(amount) && !this.#lends(account, amount, now)) return null;
    }
    for (const account of accounts) if (account.hold(amount)) this.#backing.want(account);
    this.openHolds += 1;
    this.heldUnits += amount;
    return { state: "held", amount, accounts };
  }

  /** Who pays: the user or a plan, a limited key with this id, and budgets, the narrowest first. */
  #accountsOf({ userId, plan, included, budgets }: Payers, tokenId: number | null): [Account, ...Account[]] {
    // An included call costs nothing but itself.
    if (included !== undefined) return [this.accounts.get("budget", included)];
    const accounts: [Account, ...Account[]] = [
      plan === undefined ? this.accounts.get("user", userId) : this.accounts.get("budget", plan),
    ];
    if (tokenId !== null) accounts.push(this.accounts.get("token", tokenId));
    if (budgets) for (const id of budgets) accounts.push(this.accounts.get("budget", id));
    return accounts;
  }

  /** Ends a hold. Answers false, and does nothing, when it has ended before. */
  end(hold: Hold, state: "settled" | "refunded"): boolean {
    if (hold.state !== "held") return false;
    hold.state = state;
    this.openHolds -= 1;
    this.heldUnits -= hold.amount;
    for (const account of hold.accounts) if (account.release(hold.amount)) this.#backing.trim(account);
    return true;
  }

  /**
   * Ends a hold by keeping it in the database under a name, where it outlives this process. Answers false where the balance
   * was too little after all; the hold has ended then too. Rejects when the database does not answer.
   */
  async keep(hold: Hold, name: string): Promise<boolean> {
    if (hold.state !== "held") return false;
    try {
      return await this.#backing.keep(name, hold);
    } finally {
      this.end(hold, "refunded");
    }
  }

  /** The record, which is within its bounds, is in the journal: its charge counts as spent. */
  expectCharge(record: UsageRecord): void {
    const charge = record.included === undefined ? record.quota : 1;
    for (const account of this.#accountsOf(record, record.tokenLimited ? record.tokenId : null)) account.expect(charge);
  }

  /** The record has left the journal without being charged. */
  forgetCharge(record: UsageRecord): void {
    const charge = record.included === undefined ? record.quota : 1;
    for (const account of this.#accountsOf(record, record.tokenLimited ? record.tokenId : null))
      account.settled(charge);
  }

  /** Takes over the balances after a batch of this process's records. */
  absorb(accounts: readonly SettledAccount[]): void {
    const now = performance.now();
    for (const { subject, id, requested, quota, held, own } of accounts) {
      const account = this.accounts.get(subject, id);
      account.settled(requested);
      if (quota === null || held === null || own === null) account.readAt = Number.NEGATIVE_INFINITY;
      else account.absorb({ quota, held, own }, now);
      this.#backing.trim(account, now);
      if (this.parts.others.hasOthers) this.#settled.add(account);
    }
  }

  /** The balances that charges have left since this was asked last, for the other processes. */
  takeSettled(): KnownBalance[] {
    const balances: KnownBalance[] = [];
    for (const { subject, id, lastKnown } of this.#settled) if (lastKnown) balances.push({ subject, id, ...lastKnown });
    this.#settled.clear();
    return balances;
  }

  /** Another process needs these accounts: gives back what no call of this one uses. */
  async giveBack(keys: readonly AccountKey[]): Promise<void> {
    await this.#backing.giveBack(keys.map(({ subject, id }) => this.accounts.get(subject, id)));
  }

  /** Quota units that a user may still spend; undefined when the balance was never read. */
  available(userId: number): number | undefined {
    const account = this.accounts.find("user", userId);
    return account?.isRead ? account.available : undefined;
  }

  /**
   * Somebody changed these accounts, so less may be free than is set aside of them: holds in the database what calls of this
   * process use, and gives back the rest. Rejects when the database does not answer.
   */
  async restore(subject: Subject, ids: readonly number[]): Promise<void> {
    const used = ids.flatMap((id) => this.accounts.find(subject, id) ?? []);
    const unused = ids.filter((id) => !this.accounts.find(subject, id));
    await this.#backing.restore(subject, used);
    await this.#learn(subject, unused);
  }

  /** Re-reads these accounts. Rejects when the database does not answer. */
  async refresh(subject: Subject, ids: readonly number[]): Promise<void> {
    const used = ids.flatMap((id) => this.accounts.find(subject, id) ?? []);
    const unused = ids.filter((id) => !this.accounts.find(subject, id));
    await this.#backing.read(subject, used);
    await this.#learn(subject, unused);
  }

  /** Reads the balances of accounts that no call of this process uses. */
  async #learn(subject: Subject, unused: readonly number[]): Promise<void> {
    if (unused.length === 0) return;
    const { sql, processId, inTurn } = this.parts;
    const balances = await inTurn(() => readBalances(sql, processId, subject, unused));
    for (const { id, quota, held } of balances) this.accounts.learn(subject, id, quota, held, true);
  }

  /** Re-reads all accounts that calls have used lately. Rejects when the database does not answer. */
  async refreshAll(): Promise<void> {
    for (const subject of SUBJECTS) await this.#backing.read(subject, [...this.accounts.used(subject)]);
  }

  /** This process's holds are gone from the database: finds out what can be held again. */
  async reacquire(): Promise<void> {
    await this.refreshAll();
    this.#wantMissing();
  }

  /**
   * Upkeep, every second or two: ends long waits, gives back what is idle, keeps balances fresh, forgets accounts. Waits are
   * ended even while an earlier sweep is still reading: a database that went silent may never answer that read.
   */
  async sweep(): Promise<void> {
    const now = performance.now();
    for (const account of this.accounts.allUsed()) {
      const waitedMs = account.waitedFor(now);
      if (waitedMs <= ANSWER_WITHIN_MS || this.#outage.isRecovering(now)) continue;
      if (this.parts.unansweredMs() > ANSWER_WITHIN_MS) this.#backing.noteSilence();
      const isAway = !this.#outage.isOver;
      if (!isAway && waitedMs <= ANSWER_WHILE_BUSY_WITHIN_MS) continue;
      account.answerAlone(new LedgerUnavailable("no answer in time"), isAway ? this.#outage : null);
    }
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      for (const subject of SUBJECTS) await this.#backing.read(subject, this.#upkeep(subject));
    } finally {
      this.#sweeping = false;
    }
  }

  /** The database is back: has it set aside what was spent without it, before others can spend that too. */
  #secure(recoveryMs: number): void {
    this.#wantMissing();
    if (recoveryMs > 0) setTimeout(() => this.#wantMissing(), recoveryMs).unref();
  }

  #wantMissing(): void {
    for (const account of this.accounts.allUsed()) if (account.shortage > 0) this.#backing.want(account);
  }

  /** Answers the accounts that are to be read again. */
  #upkeep(subject: Subject): Account[] {
    const now = performance.now();
    const stale: Account[] = [];
    for (const account of this.accounts.used(subject)) {
      const unusedMs = now - account.usedAt;
      account.endScarcity(now);
      if (!this.parts.sole && account.shortage > 0) this.#backing.want(account);
      this.#backing.trim(account, now);
      const old = !this.parts.sole && now - account.readAt > REREAD_AFTER_MS && unusedMs < KEEP_FRESH_MS;
      if (old || !account.isRead) stale.push(account);
      else if (account.isForgettable && unusedMs > FORGET_AFTER_MS) this.accounts.forget(account);
    }
    return stale;
  }

  /** Whether what an account's allotment lacks may be spent before the database has confirmed it. */
  #lends(account: Account, amount: number, now: number): boolean {
    if (this.#outage.limits(now)) return account.coversInOutage(amount, this.#outage);
    return account.isAmple && now - account.readAt < FRESH_MS && account.canLend(amount);
  }

  /**
   * The same, asking the database where memory does not suffice. Rejects InsufficientQuota, LedgerUnavailable.
   *
   * From the narrowest to the widest account, the user last: what a call holds of a key while it waits is missing to calls of
   * the same user only, who would be refused too. The other way round two processes could each hold what the other lacks.
   */
  async reserveSlowly(request: ReserveRequest): Promise<Hold> {
    const { amount } = request;
    const accounts = this.#accountsOf(request, request.token?.limited ? request.token.id : null);
    const [user, ...narrower] = accounts;
    const now = performance.now();
    if (narrower.length > 0 && this.#outage.isOver && !user.covers(amount) && !this.#lends(user, amount, now)) {
      // The user's part is set aside by the same exchange as the key's; other processes can have it back until it is held.
      user.expectCall(amount);
      this.#backing.want(user);
    }
    const held: Account[] = [];
    try {
      for (const account of narrower) {
        if (!(await this.#cover(account, amount))) throw await this.#refusal(user, account, amount);
        held.push(account);
      }
      if (!(await this.#cover(user, amount))) throw new InsufficientQuota(user.subject, user.available, user.id);
    } catch (error) {
      for (const account of held) if (account.release(amount)) this.#backing.trim(account);
      throw error;
    }
    this.openHolds += 1;
    this.heldUnits += amount;
    return { state: "held", amount, accounts };
  }

  /** Who has too little both ways gets the message about their own balance. */
  async #refusal(user: Account, account: Account, amount: number): Promise<InsufficientQuota> {
    if (user.lastKnown === null) await this.#backing.read(user.subject, [user]).catch(() => {});
    const refusing = user.available < amount ? user : account;
    return new InsufficientQuota(refusing.subject, refusing.available, refusing.id);
  }

  async #cover(account: Account, amount: number): Promise<boolean> {
    const now = performance.now();
    if (account.covers(amount) || this.#lends(account, amount, now)) {
      if (account.hold(amount)) this.#backing.want(account);
      return true;
    }
    if (this.parts.sole && now - account.readAt < REREAD_SOLE_AFTER_MS) return false;
    const answer = account.wait(amount);
    this.#backing.want(account);
    if (this.#outage.isOver) return answer;
    setTimeout(() => {
      if (this.#outage.isOver) return;
      account.answerAlone(new LedgerUnavailable("the share of an outage is spent"), this.#outage);
    }, ANSWER_IN_OUTAGE_WITHIN_MS);
    return answer;
  }
}
