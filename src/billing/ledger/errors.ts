import type { Subject } from "../subject.ts";

/** The balance does not cover the hold that a call needs. */
export class InsufficientQuota extends Error {
  override name = "InsufficientQuota";

  constructor(
    readonly who: Subject,
    /** Quota units that were available. */
    readonly availableUnits: number,
    readonly id = 0,
  ) {
    super(`the ${who}'s quota does not cover the call`);
  }
}

/** Whether the balance covers a hold can't be found out now: the database does not answer. */
export class LedgerUnavailable extends Error {
  override name = "LedgerUnavailable";
}

/** The code of a failed statement, such as an SQLSTATE; empty: it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
