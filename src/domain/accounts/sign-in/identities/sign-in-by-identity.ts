import { randomInt } from "node:crypto";
import { and, eq, max } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { requireRow } from "../../../../../db/require-row.ts";
import { identities, users } from "../../../../../db/schema/accounts/users.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { USER_STATUS } from "../../access/roles.ts";
import { checkNotDeregistered } from "../../identity/former-identities.ts";
import { checkUsername } from "../../identity/usernames.ts";
import { countRegistration } from "../../registration/count-registration.ts";
import { checkEmailAddress, claimEmail } from "../../registration/email-address.ts";
import { checkRegistrationOpen } from "../../registration/register.ts";
import { welcomeUser } from "../../registration/welcome.ts";
import type { OutsideIdentity, ProviderName } from "./provider.ts";

type IdentityDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

const LONGEST_USERNAME = 12;
const LONGEST_DISPLAY_NAME = 20;
const NAME_TRIES = 5;
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/**
 * The user whom this identity is bound to; where nobody is, a new account, if the site takes new users. An account is found
 * by what was bound to it alone, never by a name or an address; deregistered people do not come back. Returns the user's id. Throws OperationError.
 */
export async function signInByIdentity(
  deps: IdentityDeps,
  provider: ProviderName,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number> {
  const known = await findBound(deps.db, provider, identity.subject);
  if (known !== null) return known;
  await checkRegistrationOpen(deps, affCode);
  return createByIdentity(deps, provider, identity, affCode);
}

/** Makes the account of an identity that is bound to nobody, or finds the one of a click that was quicker. Throws OperationError. */
export async function createByIdentity(
  deps: IdentityDeps,
  provider: ProviderName,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number> {
  const changed = await deps.db
    .transaction((tx) => join(tx, deps, provider, identity, affCode))
    .catch((error: unknown) => {
      if (error instanceof BoundMeanwhile) return null;
      throw error;
    });
  if (changed === null) {
    const bound = await findBound(deps.db, provider, identity.subject);
    return bound ?? createByIdentity(deps, provider, identity, affCode);
  }
  await deps.changes.publish("users", changed);
  const [userId] = changed;
  if (userId === undefined) throw new Error("the account was not created");
  return userId;
}

/** The id of the user with this identity; null: nobody has it. Throws OperationError when the user is banned. */
export async function findBound(db: Db, provider: ProviderName, subject: string): Promise<number | null> {
  const [found] = await db
    .select({ id: users.id, status: users.status })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.subject, subject), eq(users.kind, "person")));
  if (!found) return null;
  if (found.status === USER_STATUS.banned) throw new OperationError("user_banned");
  await db.update(users).set({ lastLoginAt: nowSeconds() }).where(eq(users.id, found.id));
  return found.id;
}

/** The same person's other click was quicker: what this one has made is taken back. */
class BoundMeanwhile extends Error {}

/** Makes the account and binds the identity. Throws BoundMeanwhile when the identity is bound by now; OperationError. */
async function join(
  tx: Tx,
  deps: IdentityDeps,
  provider: ProviderName,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number[]> {
  const changed = await createUnbound(tx, deps, provider, identity, affCode);
  const [userId = 0] = changed;
  // The people of an organization come from one address.
  if (!provider.startsWith("sso-") && provider !== "ldap") await countRegistration(tx, deps.settings, userId);
  const bound = await tx
    .insert(identities)
    .values({ provider, subject: identity.subject, userId, createdAt: nowSeconds() })
    .onConflictDoNothing()
    .returning({ userId: identities.userId });
  if (bound.length === 0) throw new BoundMeanwhile();
  // Afterwards: who is being deregistered holds the insert up.
  await checkNotDeregistered(tx, deps.vault, { provider, subject: identity.subject });
  return changed;
}

/** Makes an account of what a service says of a person, without binding it. Returns the ids to publish. Throws OperationError. */
export async function createUnbound(
  tx: Tx,
  { settings, vault }: Pick<IdentityDeps, "settings" | "vault">,
  provider: ProviderName,
  identity: Omit<OutsideIdentity, "subject">,
  affCode = "",
): Promise<number[]> {
  const email = await freeAddress(tx, { settings, vault }, identity.email);
  if (identity.email) await checkNotDeregistered(tx, vault, { provider: "email", subject: identity.email });
  const displayName = [...(identity.displayName ?? "").trim()].slice(0, LONGEST_DISPLAY_NAME).join("");
  for (const username of await namesFor(tx, provider, identity, settings.get("UsernameMaxLength"))) {
    const account = { username, displayName, email };
    try {
      return await welcomeUser(tx, { settings, account, passwordHash: null, affCode });
    } catch (error) {
      if (!(error instanceof OperationError) || error.code !== "username_taken") throw error;
    }
  }
  throw new OperationError("username_taken");
}

/** A name of the person's choice where the service has one that is possible here, then numbered ones, then drawn ones. */
async function namesFor(
  tx: Tx,
  provider: ProviderName,
  identity: Pick<OutsideIdentity, "username">,
  longest: number,
): Promise<string[]> {
  const row = requireRow(await tx.select({ highest: max(users.id) }).from(users));
  const next = (row.highest ?? 0) + 1;
  const numbered = Array.from({ length: NAME_TRIES }, (_, index) => {
    const decimal = `${provider}_${next + index}`;
    return decimal.length <= LONGEST_USERNAME ? decimal : `${provider}_${(next + index).toString(36)}`;
  });
  // When many join at once, the next numbers are all taken.
  const room = LONGEST_USERNAME - provider.length - 1;
  const drawn = Array.from(
    { length: NAME_TRIES },
    () => `${provider}_${Array.from({ length: room }, () => LETTERS[randomInt(LETTERS.length)]).join("")}`,
  );
  const names = [...numbered, ...drawn];
  try {
    return identity.username ? [checkUsername(identity.username, longest), ...names] : names;
  } catch {
    return names;
  }
}

/** The address, when the site would take it and nobody has it; else null: an account needs none. */
async function freeAddress(
  tx: Tx,
  { settings, vault }: Pick<IdentityDeps, "settings" | "vault">,
  email: string | undefined,
): Promise<string | null> {
  if (email === undefined) return null;
  try {
    const address = checkEmailAddress(settings, email);
    await claimEmail(tx, vault, address);
    return address;
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}
