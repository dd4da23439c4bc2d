import { and, asc, eq } from "drizzle-orm";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isSsoName, SSO_ICONS, type SsoIcon, type SsoName } from "../identity/sso-rules.ts";
import type { OutsideProvider } from "../sign-in/identities/provider.ts";
import { oidcProvider } from "./oidc-provider.ts";
import type { ProviderRow } from "./providers.ts";
import { samlProvider } from "./saml-provider.ts";

/** A provider as the sign-in page shows it. */
export type OfferedProvider = Readonly<{ name: SsoName; label: string; icon: SsoIcon }>;

/** The providers that people can sign in with, oldest first. */
export async function listOffered(db: DbOrTx): Promise<OfferedProvider[]> {
  const rows = await db
    .select({ id: identityProviders.id, name: identityProviders.name, icon: identityProviders.icon })
    .from(identityProviders)
    .where(eq(identityProviders.enabled, true))
    .orderBy(asc(identityProviders.id));
  return rows.map(({ id, name, icon }) => ({
    name: `sso-${id}`,
    label: name,
    icon: SSO_ICONS.find((known) => known === icon) ?? "",
  }));
}

/** The row of a provider by the name in addresses; null: there is none. */
export async function findProviderRow(db: DbOrTx, name: string): Promise<ProviderRow | null> {
  if (!isSsoName(name)) return null;
  const [row] = await db
    .select()
    .from(identityProviders)
    .where(and(eq(identityProviders.id, Number(name.slice("sso-".length)))));
  return row ?? null;
}

/** What signs in with a provider. */
export const openProvider = (row: ProviderRow, deps: Readonly<{ db: Db; vault: Vault }>): OutsideProvider =>
  row.type === "saml" ? samlProvider(row, deps) : oidcProvider(row, deps.vault);
