import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { scimUsers } from "../../../../db/schema/accounts/identity-providers/scim.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ROLE, USER_STATUS } from "../access/roles.ts";
import { domainOf, type SsoName } from "../identity/sso-rules.ts";
import { checkRegistrationOpen } from "../registration/register.ts";
import type { OutsideIdentity } from "../sign-in/identities/provider.ts";
import { createByIdentity, findBound } from "../sign-in/identities/sign-in-by-identity.ts";
import type { ProviderRow } from "./providers.ts";
import { findByAddress } from "./scim/accounts.ts";
import { syncMemberships } from "./sync-memberships.ts";

type SsoDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

/**
 * The user of a company's identity: whom it is bound to, else whom the provider has provisioned, else who has its verified
 * address in a domain that the provider answers for, else a new account where the provider makes them. Then memberships follow
 * the groups. Returns the user's id. Throws OperationError.
 */
export async function signInBySso(
  deps: SsoDeps,
  row: ProviderRow,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number> {
  const provider: SsoName = `sso-${row.id}`;
  const userId =
    (await findBound(deps.db, provider, identity.subject)) ??
    (await linkProvisioned(deps, row, identity)) ??
    (await linkByAddress(deps, row, identity)) ??
    (await createUser(deps, row, identity, affCode));
  await syncMemberships(deps, row, userId, identity.groups);
  return userId;
}

/** Binds the identity to the only account with its address. Returns null when there is no such account. */
async function linkByAddress(
  { db, changes }: SsoDeps,
  row: ProviderRow,
  { subject, email }: OutsideIdentity,
): Promise<number | null> {
  const user = email === undefined ? null : await findByAddress(db, row, email);
  return user && link({ db, changes }, row, subject, user);
}

/**
 * Binds the identity to whom the provider has provisioned: by the external id, or by a user name that is the subject or the
 * verified address. Names that people may choose themselves don't count. Returns null when there is nobody.
 */
async function linkProvisioned(
  { db, changes }: SsoDeps,
  row: ProviderRow,
  { subject, email }: OutsideIdentity,
): Promise<number | null> {
  const names = [subject, ...(email === undefined ? [] : [email])].map((name) => name.toLowerCase());
  const found = await db
    .select({ id: users.id, status: users.status })
    .from(scimUsers)
    .innerJoin(users, eq(users.id, scimUsers.userId))
    .where(
      and(
        eq(scimUsers.providerId, row.id),
        isNull(scimUsers.deletedAt),
        or(eq(scimUsers.externalId, subject), inArray(sql`lower(${scimUsers.userName})`, names)),
        lt(users.role, ROLE.root),
      ),
    )
    .limit(2);
  const [user] = found;
  return user && found.length === 1 ? link({ db, changes }, row, subject, user) : null;
}

/** Binds an identity to an account. Throws OperationError when the account is banned, or has another one there. */
async function link(
  { db, changes }: Pick<SsoDeps, "db" | "changes">,
  row: ProviderRow,
  subject: string,
  user: Readonly<{ id: number; status: number }>,
): Promise<number> {
  if (user.status === USER_STATUS.banned) throw new OperationError("user_banned");
  const provider: SsoName = `sso-${row.id}`;
  const bound = await db
    .insert(identities)
    .values({ provider, subject, userId: user.id, createdAt: nowSeconds() })
    .onConflictDoNothing()
    .returning({ userId: identities.userId });
  // The account has another identity of this provider: two people must not share it.
  if (bound.length === 0) throw new OperationError("identity_bound_already", { service: row.name });
  await db.update(users).set({ lastLoginAt: nowSeconds() }).where(eq(users.id, user.id));
  await changes.publish("users", [user.id]);
  return user.id;
}

async function createUser(
  deps: SsoDeps,
  row: ProviderRow,
  identity: OutsideIdentity,
  affCode: string,
): Promise<number> {
  if (!row.createsAccounts) await checkRegistrationOpen(deps, affCode);
  else if (deps.settings.get("SelfUseModeEnabled")) throw new OperationError("registration_disabled");
  const isOfDomain = identity.email !== undefined && row.domains.includes(domainOf(identity.email));
  if (row.domains.length > 0 && !isOfDomain) throw new OperationError("sso_domain_refused", { service: row.name });
  return createByIdentity(deps, `sso-${row.id}`, identity, affCode);
}
