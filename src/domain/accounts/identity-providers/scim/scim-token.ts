import { and, eq } from "drizzle-orm";
import { identityProviders } from "../../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import type { Db } from "../../../../../db/types.ts";
import { randomText, type Vault } from "../../../../lib/security/crypto.ts";
import { writeManagementLog } from "../../../logs/write-log.ts";
import type { UserEntry } from "../../directory.ts";
import { getProvider, type ProviderRow } from "../providers.ts";

type TokenDeps = Readonly<{ db: Db; vault: Vault }>;

/** By which tokens are recognized, also by scanners of leaked secrets. */
const PREFIX = "sluice_scim_";
const TOKEN_BYTES = 32;

/** Makes the token that a provider provisions with; one that it had ends at once. Shown this once. Throws OperationError. */
export async function createScimToken({ db, vault }: TokenDeps, actor: UserEntry, id: number): Promise<string> {
  const token = `${PREFIX}${randomText(TOKEN_BYTES)}`;
  await change(db, actor, id, vault.keyedHash(token));
  return token;
}

/** Ends the token: nothing is provisioned any more. Throws OperationError. */
export const revokeScimToken = ({ db }: TokenDeps, actor: UserEntry, id: number): Promise<void> =>
  change(db, actor, id, null);

/** The provider of a token; null: there is none, or it is off. */
export async function findByScimToken({ db, vault }: TokenDeps, token: string): Promise<ProviderRow | null> {
  if (!token.startsWith(PREFIX)) return null;
  const [row] = await db
    .select()
    .from(identityProviders)
    .where(and(eq(identityProviders.scimTokenHash, vault.keyedHash(token)), eq(identityProviders.enabled, true)));
  return row ?? null;
}

async function change(db: Db, actor: UserEntry, id: number, scimTokenHash: string | null): Promise<void> {
  await db.transaction(async (tx) => {
    const { name } = await getProvider(tx, id);
    await tx.update(identityProviders).set({ scimTokenHash }).where(eq(identityProviders.id, id));
    const what = scimTokenHash === null ? "Revoked" : "Created";
    await writeManagementLog(tx, actor, `${what} the SCIM token of ${name} (#${id})`, {
      note: { code: scimTokenHash === null ? "scim_token_revoked" : "scim_token_created", params: { name, id } },
      action: "update",
    });
  });
}
