/**
 * Turns of the event loop: what goes out at the end of one, and who begins in it. Under load one turn handles much that came at
 * the same time. What goes out is gathered until the turn is over and then goes in one go: a write to the disk for all, and the
 * other side is woken once, not for each.
 */

let early: (() => void)[] = [];
/** Somebody uses `beforeEndOfTurn`: without that turns need no stage of their own for it. */
let hasEarly = false;
let works: (() => void)[] = [];
let end: PromiseWithResolvers<void> | null = null;
let isUnderWay = false;

/** Does `work`, which must not throw, when everything that has come is handled; in the order it was asked for. */
export function atEndOfTurn(work: () => void): void {
  works.push(work);
  begin();
}

/**
 * Does `work`, which must not throw, before any work of `atEndOfTurn`, in a stage of its own: what it writes to a socket that
 * the runtime buffers has left the process when that stage is over, so before anybody who waits for `endOfTurn` goes on.
 */
export function beforeEndOfTurn(work: () => void): void {
  hasEarly = true;
  early.push(work);
  begin();
}

/** Resolves when the work of this turn is done: one promise for all who wait. */
export function endOfTurn(): Promise<void> {
  end ??= Promise.withResolvers();
  begin();
  return end.promise;
}

function begin(): void {
  if (isUnderWay) return;
  isUnderWay = true;
  if (hasEarly) setImmediate(doEarly);
  setImmediate(finish);
}

function doEarly(): void {
  const all = early;
  early = [];
  for (const work of all) work();
}

function finish(): void {
  if (early.length > 0) doEarly();
  const [all, ended] = [works, end];
  works = [];
  end = null;
  isUnderWay = false;
  for (const work of all) work();
  ended?.resolve();
}

type Waiting = Readonly<{ sinceMs: number; resolve(): void; reject(error: Error): void }>;

/** Calls that begin in one turn of the event loop: a turn with all their work takes a few milliseconds. */
const CALLS_A_TURN = 32;
/** The least of them while several owners call: a call takes some turns from its beginning to its end, which a flood must not lengthen. */
const CALLS_A_TURN_TOGETHER = 4;
/** Refusals of one turn, in addition to its calls. */
const REFUSALS_A_TURN = 128;
/** Whoever waits longer is refused, while others call, too. */
const LONGEST_WAIT_MS = 250;
/** The same for one who calls alone, and delays nobody. */
const LONGEST_WAIT_ALONE_MS = 5_000;
/** So long after a call of another owner both are said to call. */
const TOGETHER_MS = 1_000;

/**
 * Keeps turns of the event loop short, whatever comes at once: what begins beyond a turn's number waits, and owners take turns,
 * so that who sends thousands of calls waits for them and nobody else does. A process that keeps up lets nobody wait.
 */
export class FairTurns {
  /** By owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<number, Waiting[]>();
  /** Owners that began beyond the number of this turn, as none of theirs waited. */
  readonly #beyond = new Set<number>();
  #begun = 0;
  #togetherUntilMs = 0;
  /** Calls that may begin in this turn. */
  #most = CALLS_A_TURN;

  /** `refusal`: the error for whoever waited too long. */
  constructor(private readonly refusal: Error) {}

  /** Null: begin now; else resolves when it is the owner's turn. Rejects where that takes too long. */
  enter(owner: number): Promise<void> | null {
    if (this.#begun === 0) atEndOfTurn(this.#nextTurn);
    this.#begun += 1;
    if (this.#begun <= this.#most || this.#mayBeginBeyond(owner)) return null;
    return new Promise((resolve, reject) => {
      const waiting = { sinceMs: performance.now(), resolve, reject };
      const others = this.#waiting.get(owner);
      if (others) others.push(waiting);
      else this.#waiting.set(owner, [waiting]);
    });
  }

  /** One call of each owner that has none waiting: it would be among the first of the next turn. */
  #mayBeginBeyond(owner: number): boolean {
    if (this.#waiting.has(owner) || this.#beyond.has(owner) || this.#beyond.size >= CALLS_A_TURN) return false;
    this.#beyond.add(owner);
    if (this.#waiting.size > 0) this.#togetherUntilMs = performance.now() + TOGETHER_MS;
    return true;
  }

  readonly #nextTurn = (): void => {
    this.#begun = 0;
    this.#beyond.clear();
    if (this.#waiting.size === 0) {
      this.#most = CALLS_A_TURN;
      return;
    }
    const nowMs = performance.now();
    const areTogether = this.#waiting.size > 1 || nowMs < this.#togetherUntilMs;
    const forOwners = Math.max(CALLS_A_TURN_TOGETHER, this.#waiting.size);
    this.#most = areTogether ? Math.min(CALLS_A_TURN, forOwners) : CALLS_A_TURN;
    const oldestMs = nowMs - (areTogether ? LONGEST_WAIT_MS : LONGEST_WAIT_ALONE_MS);
    let refusals = REFUSALS_A_TURN;
    for (const [owner, waiting] of this.#waiting) {
      let next = waiting.shift();
      while (next && next.sinceMs < oldestMs && refusals > 0) {
        next.reject(this.refusal);
        refusals -= 1;
        next = waiting.shift();
      }
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      if (!next) continue;
      next.resolve();
      this.#begun += 1;
      if (this.#begun >= this.#most) break;
    }
    if (this.#begun > 0) atEndOfTurn(this.#nextTurn);
  };
}
