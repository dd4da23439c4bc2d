import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ROLE, USER_STATUS } from "../access/roles.ts";
import { hashPassword, isOutdatedHash, verifyPassword } from "../identity/passwords.ts";
import { isSameUsername } from "../identity/usernames.ts";
import { countPasswordGuess, type GuessLimits } from "./guess-limits.ts";
import type { SignInOrigin } from "./sign-in-origins.ts";

/** Wrong proofs of who is signed in already, and wrong second factors, by account. */
export const createSignInLimiter = (shared: SharedLimits | null): Limiter =>
  createLimiter(shared, "sign-in", { count: 10, windowMs: 600_000 });

/** Asks a directory for the user with these credentials; resolves null when it does not know them. */
type AskDirectory = (credentials: Readonly<{ username: string; password: string }>) => Promise<number | null>;

/** Who signed in, and by which service; null: by the password that the account has here. */
export type SignedIn = Readonly<{ userId: number; way: "ldap" | null }>;

/**
 * Checks a username (or e-mail address) and password, here and, where that fails, by `askDirectory`. Unknown, wrong and banned
 * get the same words after the same work; each try counts once, whoever checks it. Super admins get in even when password login
 * is off, lest nobody could turn it on again. Throws OperationError.
 */
export async function signInWithPassword(
  deps: Readonly<{ db: Db; settings: SettingsReader; limits: GuessLimits; askDirectory?: AskDirectory }>,
  input: Readonly<{ username: string; password: string }>,
  origin: SignInOrigin,
): Promise<SignedIn> {
  const { db, settings } = deps;
  const name = input.username.trim().normalize("NFC");
  if (name === "" || input.password === "") throw new OperationError("login_required_fields");
  const user = await findByLogin(db, name);
  const login = name.toLowerCase().slice(0, 320);
  const guess = await countPasswordGuess(deps, { userId: user?.id ?? null, login }, origin);
  const matches = await verifyPassword(input.password, user?.passwordHash ?? null);
  if (!user || !matches) {
    const found = await deps.askDirectory?.({ username: name, password: input.password });
    if (found == null) throw new OperationError("login_failed");
    await guess.takeBack();
    return { userId: found, way: "ldap" };
  }
  if (user.status === USER_STATUS.banned) throw new OperationError("login_failed");
  if (!settings.get("PasswordLoginEnabled") && user.role < ROLE.root) {
    throw new OperationError("password_login_disabled");
  }
  await guess.takeBack();
  await db.update(users).set({ lastLoginAt: nowSeconds() }).where(eq(users.id, user.id));
  if (user.passwordHash && isOutdatedHash(user.passwordHash)) {
    const passwordHash = await hashPassword(input.password);
    // Only what was just checked is replaced: the password may have been changed meanwhile.
    await db
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash)));
  }
  return { userId: user.id, way: null };
}

/** By username, else by one that only one account has in another case, or by such an e-mail address. */
async function findByLogin(db: Db, name: string) {
  const columns = { id: users.id, role: users.role, status: users.status, passwordHash: users.passwordHash };
  const [named] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.username, name), eq(users.kind, "person"), isNull(users.deletedAt)));
  if (named) return named;
  const alike = await db
    .select(columns)
    .from(users)
    .where(and(isSameUsername(name), eq(users.kind, "person"), isNull(users.deletedAt)))
    .limit(2);
  if (alike.length > 0 || !name.includes("@")) return alike.length === 1 ? alike[0] : undefined;
  const addressed = await db
    .select(columns)
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, name.toLowerCase()), isNull(users.deletedAt)))
    .limit(2);
  return addressed.length === 1 ? addressed[0] : undefined;
}
