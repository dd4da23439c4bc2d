import { randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import { type AccountKind, users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { ROLE } from "../access/roles.ts";
import { MOST_CHARACTERS } from "../account-rules.ts";
import { checkPasswordLength, hashPassword } from "./passwords.ts";
import { checkDisplayName, checkUsername, claimUsername } from "./usernames.ts";

export type NewUser = NewAccount & Readonly<{ password: string }>;

/** A user whose password is hashed already, or who signs in without one. */
export type NewAccount = Readonly<{
  kind?: AccountKind;
  username: string;
  displayName?: string;
  role?: number;
  /** Quota units to start with. */
  quota?: number;
  email?: string | null;
  inviterId?: number | null;
}>;

const CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const CODE_TRIES = 20;

/**
 * Creates a user and returns the id; whoever calls this publishes it to "users" after the commit.
 * Throws OperationError when a field is refused or the name is (or was) somebody's.
 */
export async function createUser(db: DbOrTx, { password, ...account }: NewUser): Promise<number> {
  checkUsername(account.username);
  checkPasswordLength(password);
  return createAccount(db, account, await hashPassword(password));
}

/** The same, with a password that was hashed before (`null`: none), so that a transaction need not wait for the hashing. */
export async function createAccount(db: DbOrTx, input: NewAccount, passwordHash: string | null): Promise<number> {
  // How long a name may be on this site is checked where it is chosen; that of a service account may be longer.
  const username = input.kind === "service" ? input.username : checkUsername(input.username, MOST_CHARACTERS);
  const row = {
    kind: input.kind ?? "person",
    username,
    passwordHash,
    displayName: checkDisplayName(input.displayName ?? "") || username,
    role: input.role ?? ROLE.user,
    quota: input.quota ?? 0,
    email: input.email ?? null,
    inviterId: input.inviterId ?? null,
    createdAt: nowSeconds(),
    setting: { quota_warning_threshold: FIRST_WARNING_THRESHOLD },
  };
  await claimUsername(db, username);
  for (let attempt = 0; attempt < CODE_TRIES; attempt += 1) {
    const affCode = inviteCode(attempt < 5 ? 4 : 8);
    const [created] = await db
      .insert(users)
      .values({ ...row, affCode })
      .onConflictDoNothing()
      .returning({ id: users.id });
    if (created) return created.id;
    const taken = await db.select({ id: users.id }).from(users).where(eq(users.username, username));
    if (taken.length > 0) throw new OperationError("username_taken");
  }
  throw new Error("no free invite code was found");
}

/** Quota units below which a new user is warned, until they choose otherwise: 0.2 dollars as installed. */
const FIRST_WARNING_THRESHOLD = 100_000;

const inviteCode = (length: number): string =>
  Array.from({ length }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join("");
