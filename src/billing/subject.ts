/** Whose balance: a user's, a limited API key's own, or what is left of an organization's budget. */
export type Subject = "user" | "token" | "budget";

export const SUBJECTS: readonly Subject[] = ["user", "token", "budget"];

/** A balance as the database has it; whole quota units. */
export type Balance = Readonly<{
  id: number;
  quota: number;
  /** Part of `quota` that processes have set aside. */
  held: number;
  /** Part of `held` that is this process's. */
  own: number;
}>;

/** Where the balances of a subject are kept. */
export const BALANCES = {
  user: { table: "users", quota: "quota" },
  token: { table: "tokens", quota: "remain_quota" },
  budget: { table: "budgets", quota: "remaining" },
} as const;
