/** How long a process that is not alone waits after an outage until the others have set aside what they spent in it. */
const RECOVERY_MS = 5000;

type Parts = Readonly<{
  /** 0 to 1: the part of its share of a free balance that a process may spend while the database is away. */
  spendRatio: number;
  /** Live processes on this database, this one included, as last registered. */
  liveProcesses(): number;
}>;

/** Whether the database answers the ledger, and how much of a free balance may be spent while it does not. */
export class Outage {
  #number = 0;
  #share = 0;
  #answers = true;
  #recoversUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {}

  /** The database answered the last time. */
  get isOver(): boolean {
    return this.#answers;
  }

  /** Counts outages, so that an account fixes its share once in each. */
  get number(): number {
    return this.#number;
  }

  /** The part of a free balance that this process may spend in this outage. */
  get share(): number {
    return this.#share;
  }

  /**
   * The database answers again, but other processes may not have set aside yet what they spent while it was away: spending
   * stays within the share.
   */
  isRecovering(now: number): boolean {
    return this.#answers && now < this.#recoversUntil;
  }

  /** Other processes may have spent what they have not set aside yet. */
  isCautious(now: number): boolean {
    return this.#answers ? now < this.#recoversUntil : this.parts.liveProcesses() > 1;
  }

  /** The share decides what is spent, not the database. */
  limits(now: number): boolean {
    return !this.#answers || now < this.#recoversUntil;
  }

  /** At the start: processes whose lease has run out may come back from an outage and set aside what they spent in it. */
  expectReturn(now: number, processes: number): void {
    this.#number += 1;
    this.#share = this.parts.spendRatio / Math.max(1, processes);
    this.#recoversUntil = now + RECOVERY_MS;
  }

  /** A statement failed. An outage that comes before the last one was recovered from continues that one. */
  begin(now: number): void {
    if (!this.#answers) return;
    this.#answers = false;
    if (now < this.#recoversUntil) return;
    this.#number += 1;
    this.#share = this.parts.spendRatio / Math.max(1, this.parts.liveProcesses());
  }

  /** A statement succeeded. Returns the milliseconds of recovery that follow; null: there was no outage. */
  end(now: number): number | null {
    if (this.#answers) return null;
    this.#answers = true;
    const recoveryMs = this.parts.liveProcesses() > 1 ? RECOVERY_MS : 0;
    this.#recoversUntil = now + recoveryMs;
    return recoveryMs;
  }
}
