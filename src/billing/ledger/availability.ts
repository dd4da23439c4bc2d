import { codeOf, LedgerUnavailable } from "./errors.ts";

/** Whether balances can be checked: what `/readyz` reports of the ledger. */
export class LedgerAvailability {
  /** When the oldest statement without an answer was sent (`performance.now`); null: none is under way. */
  #unansweredSince: number | null = null;
  /** When the first of the calls was refused after which no reservation could be made; null: the latest one was made. */
  refusingSince: number | null = null;
  /** The statement under way has failed, though whoever ran it went on. */
  #hasFailed = false;

  /** Milliseconds that the database has left a statement of the ledger without an answer. */
  get unansweredMs(): number {
    return since(this.#unansweredSince);
  }

  /** Milliseconds for which every call was refused because its balance could not be checked. */
  get refusingMs(): number {
    return since(this.refusingSince);
  }

  /** Runs a statement of the ledger; they run one after the other. */
  async watchStatement<Result>(statement: () => Promise<Result>): Promise<Result> {
    this.#unansweredSince ??= performance.now();
    this.#hasFailed = false;
    try {
      const result = await statement();
      if (!this.#hasFailed) this.#answered();
      return result;
    } catch (error) {
      if (isRefusal(error)) this.#answered();
      throw error;
    }
  }

  /** To be called where the failure of a statement is dealt with instead of thrown. */
  statementFailed(error: unknown): void {
    this.#hasFailed = !isRefusal(error);
  }

  /** A reservation was refused, perhaps because its balance could not be checked. */
  reservationFailed(error: unknown): void {
    if (error instanceof LedgerUnavailable) this.refusingSince ??= performance.now();
  }

  #answered(): void {
    this.#unansweredSince = null;
    this.refusingSince = null;
  }
}

/** The database refused the statement, with an SQLSTATE: that is an answer too. */
const isRefusal = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(codeOf(error));

const since = (startMs: number | null): number => (startMs === null ? 0 : performance.now() - startMs);
