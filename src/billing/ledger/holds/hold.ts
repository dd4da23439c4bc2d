import type { Account } from "../balances/account.ts";

/** Balance set aside for one call; it ends once, by a charge or by a refund. */
export type Hold = {
  state: "held" | "settled" | "refunded";
  /** Quota units. */
  readonly amount: number;
  readonly user: Account;
  /** The API key's own balance when it is limited. */
  readonly token: Account | null;
  /** What is left of hard budgets that the call counts in, the narrowest first. */
  readonly budgets: readonly Account[];
};
