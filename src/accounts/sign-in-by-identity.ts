import { and, eq, max } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { identities, users } from "../../db/schema/users.ts";
import type { Db, Tx } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { checkEmailAddress, checkEmailFree } from "./email-address.ts";
import type { OutsideIdentity, OutsideName } from "./outside/provider.ts";
import { checkRegistrationOpen } from "./register.ts";
import { USER_STATUS } from "./roles.ts";
import { checkUsername } from "./usernames.ts";
import { welcomeUser } from "./welcome.ts";

type IdentityDeps = Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>;

const LONGEST_USERNAME = 12;
const LONGEST_DISPLAY_NAME = 20;
const NAME_TRIES = 5;

/**
 * The user whom this identity is bound to; where nobody is, a new account, if the site takes new users. An account is found
 * by what was bound to it alone, never by a name or an address. Returns the user's id. Throws OperationError.
 */
export async function signInByIdentity(
  deps: IdentityDeps,
  provider: OutsideName,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number> {
  const known = await findBound(deps.db, provider, identity.subject);
  if (known !== null) return known;
  checkRegistrationOpen(deps.settings);
  const changed = await deps.db.transaction((tx) => join(tx, deps.settings, provider, identity, affCode));
  // Somebody else, or the same person's second click, was quicker.
  if (changed === null) return signInByIdentity(deps, provider, identity, affCode);
  await deps.changes.publish("users", changed);
  const [userId] = changed;
  if (userId === undefined) throw new Error("the account was not created");
  return userId;
}

/** The id of the user with this identity; null: nobody has it. Throws OperationError when the user is banned. */
export async function findBound(db: Db, provider: OutsideName, subject: string): Promise<number | null> {
  const [found] = await db
    .select({ id: users.id, status: users.status })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.subject, subject)));
  if (!found) return null;
  if (found.status === USER_STATUS.banned) throw new OperationError("user_banned");
  await db.update(users).set({ lastLoginAt: nowSeconds() }).where(eq(users.id, found.id));
  return found.id;
}

/** Makes the account and binds the identity; null when the identity is bound by now. */
async function join(
  tx: Tx,
  settings: SettingsReader,
  provider: OutsideName,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number[] | null> {
  const bound = await tx
    .select({ userId: identities.userId })
    .from(identities)
    .where(and(eq(identities.provider, provider), eq(identities.subject, identity.subject)));
  if (bound.length > 0) return null;
  const email = await freeAddress(tx, settings, identity.email);
  const displayName = [...(identity.displayName ?? "").trim()].slice(0, LONGEST_DISPLAY_NAME).join("");
  for (const username of await namesFor(tx, provider, identity)) {
    const account = { username, displayName, email };
    try {
      const changed = await welcomeUser(tx, { settings, account, passwordHash: null, affCode });
      const [userId = 0] = changed;
      await tx.insert(identities).values({ provider, subject: identity.subject, userId, createdAt: nowSeconds() });
      return changed;
    } catch (error) {
      if (!(error instanceof OperationError) || error.code !== "username_taken") throw error;
    }
  }
  throw new OperationError("username_taken");
}

/** A name of the person's choice where the service has one that is possible here, then numbered ones. */
async function namesFor(tx: Tx, provider: OutsideName, identity: OutsideIdentity): Promise<string[]> {
  const [row] = await tx.select({ highest: max(users.id) }).from(users);
  const next = (row?.highest ?? 0) + 1;
  const numbered = Array.from({ length: NAME_TRIES }, (_, index) => {
    const decimal = `${provider}_${next + index}`;
    return decimal.length <= LONGEST_USERNAME ? decimal : `${provider}_${(next + index).toString(36)}`;
  });
  try {
    return identity.username ? [checkUsername(identity.username), ...numbered] : numbered;
  } catch {
    return numbered;
  }
}

/** The address, when the site would take it and nobody has it; else null: an account needs none. */
async function freeAddress(tx: Tx, settings: SettingsReader, email: string | undefined): Promise<string | null> {
  if (email === undefined) return null;
  try {
    const address = checkEmailAddress(settings, email);
    await checkEmailFree(tx, address);
    return address;
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}
