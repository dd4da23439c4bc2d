import type { Db } from "../../../../db/types.ts";
import type { Limit } from "../../../lib/limits/rate-limiter.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import { countGuess } from "./confirm-owner.ts";
import { findFamiliarOrigins, type SignInOrigin } from "./sign-in-origins.ts";

/** Counts of wrong passwords: none of them is an account's alone, so that nobody can lock out the owner. */
export type GuessLimits = Readonly<{
  /** By address and account, where the account has not signed in before. */
  unknown: Limiter;
  /** By account and origin, where it has. */
  familiar: Limiter;
  /** By address, whatever the account; null: off. */
  address: Limiter | null;
}>;

const MINUTE_MS = 60_000;

/** `address`: the wrong passwords that one address may send; null: without a limit. */
export const createGuessLimits = (shared: SharedLimits | null, address: Limit | null): GuessLimits => ({
  unknown: createLimiter(shared, "sign-in-pair", { count: 10, windowMs: 10 * MINUTE_MS }),
  familiar: createLimiter(shared, "sign-in-familiar", { count: 100, windowMs: 60 * MINUTE_MS }),
  address: address && createLimiter(shared, "sign-in-address", address),
});

/** A guess that is counted. */
type CountedGuess = Readonly<{
  /** The password was right: it counts no more. */
  takeBack(): Promise<void>;
}>;

/**
 * Counts a guess at the password of an account before it is checked. Who has signed in to the account from this device or
 * address has a count of their own; everybody else shares that of their address. `login` stands for an account that does not exist
 * (`userId` null). Throws OperationError when there were too many.
 */
export async function countPasswordGuess(
  { db, limits }: Readonly<{ db: Db; limits: GuessLimits }>,
  { userId, login }: Readonly<{ userId: number | null; login: string }>,
  origin: SignInOrigin,
): Promise<CountedGuess> {
  const { unknown, familiar, address } = limits;
  const known = userId === null ? [] : await findFamiliarOrigins(db, userId, origin);
  for (const name of known) {
    const key = `${userId} ${name}`;
    if ((await familiar.take(key)) === 0) return { takeBack: async () => familiar.forget(key) };
  }
  const pair = `${origin.address} ${userId === null ? `login ${login}` : userId}`;
  await countGuess(unknown, pair);
  const isCounted = address !== null && origin.address !== "";
  if (isCounted) await countGuess(address, origin.address);
  return {
    async takeBack() {
      await unknown.forget(pair);
      if (isCounted) await address.giveBack(origin.address);
    },
  };
}

/** Under which key wrong second factors count: from a familiar origin apart from all others. */
export async function factorKey(db: Db, userId: number, origin: SignInOrigin): Promise<string> {
  const [familiar] = await findFamiliarOrigins(db, userId, origin);
  return familiar === undefined ? `factor:${userId}` : `factor:${userId} ${familiar}`;
}
