import { and, eq, isNull, lt, ne, sql } from "drizzle-orm";
import { scimUsers } from "../../../../../db/schema/accounts/identity-providers/scim.ts";
import { sessions, users } from "../../../../../db/schema/accounts/users.ts";
import { TOKEN_STATUS, tokens } from "../../../../../db/schema/api-keys.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { LOG_TYPE, type LogNote, writeLog } from "../../../logs/write-log.ts";
import { ROLE, USER_STATUS } from "../../access/roles.ts";
import { domainOf } from "../../identity/sso-rules.ts";
import { disableMemberKeys } from "../../organizations/members/member-keys.ts";
import { createUnbound } from "../../sign-in/identities/sign-in-by-identity.ts";
import type { ProviderRow } from "../providers.ts";
import { ScimError } from "./protocol.ts";
import { displayNameOf, emailOf, type UserFields } from "./resources.ts";

type AccountDeps = Readonly<{ vault: Vault; settings: SettingsReader }>;

/** What a transaction has changed, for whoever publishes it after the commit. */
export type Changed = { users: Set<number>; tokens: Set<number> };

/**
 * The only account with an address, where the provider answers for its domain; null: there is none, or more than one. Never a
 * super administrator's: whoever runs the provider would run the site.
 */
export async function findByAddress(
  db: DbOrTx,
  { domains }: Pick<ProviderRow, "domains">,
  email: string,
): Promise<Readonly<{ id: number; status: number }> | null> {
  if (!domains.includes(domainOf(email))) return null;
  const [user, second] = await db
    .select({ id: users.id, status: users.status })
    .from(users)
    .where(
      and(
        sql`lower(${users.email}) = ${email.toLowerCase()}`,
        eq(users.kind, "person"),
        isNull(users.deletedAt),
        lt(users.role, ROLE.root),
      ),
    )
    .limit(2);
  return user && !second ? user : null;
}

/**
 * The account of somebody who is provisioned: the only one with their address in a domain of the provider, else a new one.
 * Never a super administrator's.
 */
export async function accountFor(
  tx: Tx,
  deps: AccountDeps,
  row: ProviderRow,
  fields: UserFields,
  changed: Changed,
): Promise<number> {
  const email = emailOf(fields);
  const isOwn = email !== undefined && row.domains.includes(domainOf(email));
  const known = isOwn ? await findByAddress(tx, row, email) : null;
  if (known) return known.id;
  const displayName = displayNameOf(fields);
  const [username = ""] = fields.userName.split("@");
  const made = await createUnbound(tx, deps, `sso-${row.id}`, {
    username,
    ...(displayName !== undefined && { displayName }),
    ...(isOwn && { email }),
  });
  for (const id of made) changed.users.add(id);
  const [userId] = made;
  if (userId === undefined) throw new Error("the account was not created");
  await note(tx, userId, row, "scim_provisioned");
  return userId;
}

/** Bans an account, ends its sessions and access tokens, and disables every key it has or has created. Throws ScimError. */
export async function deprovision(tx: Tx, row: ProviderRow, userId: number, changed: Changed): Promise<void> {
  const [user] = await tx
    .select({ id: users.id, role: users.role, status: users.status })
    .from(users)
    .where(eq(users.id, userId))
    .for("update");
  if (!user) return;
  if (user.role >= ROLE.root) throw new ScimError(403, "a super administrator can't be deprovisioned");
  await claimBan(tx, row.id, user);
  await tx
    .update(users)
    .set({ status: USER_STATUS.banned, sessionVersion: sql`${users.sessionVersion} + 1` })
    .where(eq(users.id, userId));
  await tx.delete(sessions).where(eq(sessions.userId, userId));
  const own = await tx
    .update(tokens)
    .set({ status: TOKEN_STATUS.disabled })
    .where(and(eq(tokens.userId, userId), ne(tokens.status, TOKEN_STATUS.disabled), isNull(tokens.deletedAt)))
    .returning({ id: tokens.id });
  for (const id of [...own.map((token) => token.id), ...(await disableMemberKeys(tx, userId))]) changed.tokens.add(id);
  changed.users.add(userId);
  await note(tx, userId, row, "scim_deprovisioned");
}

/**
 * Lets somebody in again whom this provider deprovisioned; bans of administrators and other providers stay. Keys stay
 * disabled: their owners enable them.
 */
export async function reactivate(tx: Tx, row: ProviderRow, userId: number, changed: Changed): Promise<void> {
  if (!(await releaseBan(tx, row.id, userId))) return;
  await tx.update(users).set({ status: USER_STATUS.active }).where(eq(users.id, userId));
  changed.users.add(userId);
  await note(tx, userId, row, "scim_reactivated");
}

const CONTENT = {
  scim_provisioned: "Provisioned by",
  scim_deprovisioned: "Deprovisioned by",
  scim_reactivated: "Reactivated by",
} as const;

function note(tx: Tx, userId: number, row: ProviderRow, code: keyof typeof CONTENT): Promise<void> {
  const text: LogNote = { code, params: { name: row.name } };
  return writeLog(tx, { type: LOG_TYPE.system, userId, content: `${CONTENT[code]} ${row.name}`, note: text });
}

/** Notes that a provider bans an account whose row the caller has locked; a ban of an administrator stays theirs. */
async function claimBan(tx: Tx, providerId: number, user: Readonly<{ id: number; status: number }>): Promise<void> {
  if (user.status === USER_STATUS.banned && (await bannersOf(tx, user.id)).length === 0) return;
  await tx
    .update(scimUsers)
    .set({ hasBanned: true })
    .where(and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, user.id)));
}

/** Takes a provider's ban back. Returns whether the account may be used again: no other provider and no administrator bans it. */
async function releaseBan(tx: Tx, providerId: number, userId: number): Promise<boolean> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
  const banners = await bannersOf(tx, userId);
  if (!banners.includes(providerId)) return false;
  await tx
    .update(scimUsers)
    .set({ hasBanned: false })
    .where(and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, userId)));
  return banners.length === 1;
}

async function bannersOf(tx: Tx, userId: number): Promise<number[]> {
  const rows = await tx
    .select({ providerId: scimUsers.providerId })
    .from(scimUsers)
    .where(and(eq(scimUsers.userId, userId), eq(scimUsers.hasBanned, true)));
  return rows.map(({ providerId }) => providerId);
}
