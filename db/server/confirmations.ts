import { STORED_HOLD_NAMES } from "../schema/wallet/ledger.ts";
import type { Sql } from "../types.ts";

/** A process that has not confirmed a notice is sent it again after so long; it may have been lost with a connection. */
export const RESEND_MS = 1000;
/** As long as a lease: what has not confirmed by then is dead, or fails for another reason than being slow. */
export const CONFIRM_WITHIN_MS = 30_000;

/** The answer to a notice: the changed rows are known to these processes. */
export type Confirmation = Readonly<{
  from: string;
  to: string;
  round: number;
  processes: readonly string[];
}>;

type Round = { readonly confirmed: Set<string>; progress: () => void };

type Parts = Readonly<{
  sql: Sql;
  /** Processes of this change feed: they need not confirm. */
  own: ReadonlySet<string>;
  onFailure: (error: unknown) => void;
}>;

/** Waits until every live process on the database has confirmed a notice. */
export class Confirmations {
  readonly #rounds = new Map<number, Round>();
  #nextRound = 1;

  constructor(private readonly parts: Parts) {}

  /**
   * Calls `send` with the number of a round until every process whose lease runs has confirmed it. Resolves also when some
   * never did, and reports that.
   */
  async collect(send: (round: number) => Promise<void>): Promise<void> {
    const number = this.#nextRound++;
    const round: Round = { confirmed: new Set(), progress: () => {} };
    this.#rounds.set(number, round);
    try {
      for (const deadline = performance.now() + CONFIRM_WITHIN_MS; ; ) {
        const [missing] = await Promise.all([this.#listMissing(round), send(number)]);
        if (await this.#arrive(round, missing)) return;
        if (performance.now() < deadline) continue;
        this.parts.onFailure(new Error(`a change was not confirmed by ${missing?.join(", ") ?? "the database"}`));
        return;
      }
    } finally {
      this.#rounds.delete(number);
    }
  }

  receive({ round: number, processes }: Confirmation): void {
    const round = this.#rounds.get(number);
    if (!round) return;
    for (const id of processes) round.confirmed.add(id);
    round.progress();
  }

  /** Live processes that have not confirmed; null: the database does not say. */
  async #listMissing({ confirmed }: Round): Promise<string[] | null> {
    try {
      const rows = await this.parts.sql<{ id: string }[]>`
        select id from processes
        where lease_until >= extract(epoch from now())::bigint and id not like ${STORED_HOLD_NAMES}`;
      return rows.map(({ id }) => id).filter((id) => !this.parts.own.has(id) && !confirmed.has(id));
    } catch (error) {
      this.parts.onFailure(error);
      return null;
    }
  }

  /** Resolves with true once all of these have confirmed, with false when it is time to ask again. */
  async #arrive(round: Round, missing: readonly string[] | null): Promise<boolean> {
    const isDone = () => missing?.every((id) => round.confirmed.has(id)) ?? false;
    if (isDone()) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), RESEND_MS);
    round.progress = () => isDone() && resolve(true);
    const isComplete = await promise;
    clearTimeout(timer);
    return isComplete;
  }
}
