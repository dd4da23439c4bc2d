import { and, isNull, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx, Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { checkNotDeregistered } from "../identity/former-identities.ts";

const LONGEST = 50;
const ADDRESS = /^[^\s@;,<>()"\\]+@([a-z0-9](-*[a-z0-9])*\.)+[a-z0-9-]{2,63}$/i;

/**
 * The address as it is stored, its domain in lower case. Throws OperationError when it is none, or when the site does not
 * accept its domain or its form.
 */
export function checkEmailAddress(settings: SettingsReader, input: string): string {
  const address = input.trim();
  if (address === "") throw new OperationError("email_required");
  if (address.length > LONGEST || !ADDRESS.test(address)) throw new OperationError("email_invalid");
  const [mailbox = "", domain = ""] = address.split("@");
  const host = domain.toLowerCase();
  if (settings.get("EmailDomainRestrictionEnabled") && !settings.get("EmailDomainWhitelist").includes(host)) {
    throw new OperationError("email_domain_refused");
  }
  if (settings.get("EmailAliasRestrictionEnabled") && /[+.]/.test(mailbox)) {
    throw new OperationError("email_alias_refused");
  }
  return `${mailbox}@${host}`;
}

/**
 * Throws OperationError when another account than `exceptUserId` has the address, in whatever case, or a deregistered one
 * had it.
 */
export async function checkEmailFree(db: DbOrTx, vault: Vault, address: string, exceptUserId = 0): Promise<void> {
  const taken = await db
    .select({ id: users.id })
    .from(users)
    .where(and(sql`lower(${users.email}) = ${address.toLowerCase()}`, isNull(users.deletedAt)))
    .limit(2);
  if (taken.some(({ id }) => id !== exceptUserId)) throw new OperationError("email_taken");
  // After the other question: an account that is deregistered between the two is in the second answer.
  await checkNotDeregistered(db, vault, { provider: "email", subject: address });
}

/** The same inside a transaction that gives the address to somebody: who wants it at the same time waits for the outcome. */
export async function claimEmail(tx: Tx, vault: Vault, address: string, exceptUserId = 0): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`email ${address.toLowerCase()}`}, 0))`);
  await checkEmailFree(tx, vault, address, exceptUserId);
}
