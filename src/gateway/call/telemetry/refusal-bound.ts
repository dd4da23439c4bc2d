/** Rows that refusals may write in a minute: alike ones, those of one user, and those of a process. */
const MOST = { alike: 5, user: 60, all: 600 } as const;
const MINUTE_MS = 60_000;

/** Bounds how many refused calls are logged: whoever goes on asking fills no log. Its memory is bounded by the most of a process. */
export class RefusalBound {
  private readonly counts = new Map<string, number>();
  private taken = 0;
  private beganAt = 0;

  /** `now`: epoch milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Whether a refusal is to be logged; `cause` says what it has in common with others of the user. */
  take(userId: number, cause: string): boolean {
    const at = this.now();
    if (at - this.beganAt >= MINUTE_MS || at < this.beganAt) {
      this.counts.clear();
      this.taken = 0;
      this.beganAt = at;
    }
    const user = String(userId);
    const alike = `${user}/${cause}`;
    const isFull = this.taken >= MOST.all || this.of(user) >= MOST.user || this.of(alike) >= MOST.alike;
    if (isFull) return false;
    this.taken += 1;
    this.counts.set(user, this.of(user) + 1);
    this.counts.set(alike, this.of(alike) + 1);
    return true;
  }

  private of(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
