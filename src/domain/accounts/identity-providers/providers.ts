import { X509Certificate } from "node:crypto";
import { asc, eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import {
  type GroupMapping,
  identityProviders,
} from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { UserEntry } from "../directory.ts";
import { isDomain, MAPPED_ROLES, SSO_FIELDS, SSO_ICONS, type SsoIcon, type SsoType } from "../identity/sso-rules.ts";
import { discover, discoveryAddress } from "./oidc-provider.ts";
import { certificatesOf } from "./saml-provider.ts";

type Deps = Readonly<{ db: Db; vault: Vault; fetch: SafeFetch }>;
export type ProviderRow = typeof identityProviders.$inferSelect;

/** An identity provider as a super administrator sends it. A secret that is empty keeps the stored one. */
export type ProviderInput = Readonly<{
  name: string;
  icon: string;
  enabled: boolean;
  config: Readonly<Record<string, string>>;
  secret: string;
  domains: readonly string[];
  enforced: boolean;
  creates_accounts: boolean;
  mappings: readonly Readonly<{ group: string; organization_id: number; role: string }>[];
}>;

/** The same on the wire, with whether there is a secret instead of it. */
export type ProviderView = Readonly<{
  id: number;
  type: SsoType;
  name: string;
  icon: SsoIcon;
  enabled: boolean;
  config: Readonly<Record<string, string>>;
  secret_set: boolean;
  domains: string[];
  enforced: boolean;
  creates_accounts: boolean;
  mappings: GroupMapping[];
  /** It provisions people by SCIM. */
  scim: boolean;
  created_time: number;
}>;

const MOST_PROVIDERS = 50;
const MOST_DOMAINS = 100;
const MOST_MAPPINGS = 500;
const LONGEST_NAME = 40;
const LONGEST_GROUP = 200;

/** All identity providers, oldest first. */
export async function listProviders({ db, vault }: Pick<Deps, "db" | "vault">): Promise<ProviderView[]> {
  const rows = await db.select().from(identityProviders).orderBy(asc(identityProviders.id));
  return rows.map((row) => viewProvider(vault, row));
}

/** Sets a number aside for a provider to come, by which its addresses are known before it is added. */
export async function reserveProvider({ db }: Pick<Deps, "db">): Promise<{ id: number }> {
  return requireRow(await db.execute<{ id: number }>(sql`select nextval(${SEQUENCE})::int as id`));
}

const SEQUENCE = sql`pg_get_serial_sequence('identity_providers', 'id')::regclass`;

/** Refuses a number that was not set aside, or by which a provider signed people in. Throws OperationError. */
async function checkReserved(tx: DbOrTx, id: number): Promise<void> {
  const [found] = await tx.execute<{ is_free: boolean }>(sql`
    select ${id} <= coalesce(pg_sequence_last_value(${SEQUENCE}), 0)
      and not exists (select 1 from ${identityProviders} where ${identityProviders.id} = ${id})
      and not exists (select 1 from ${identities} where ${identities.provider} = ${`sso-${id}`}) as is_free`);
  if (!found?.is_free) throw new OperationError("sso_address_used");
}

/**
 * Adds a provider, after reading its discovery document; `id`: with a number that was set aside for it. Throws
 * OperationError.
 */
export async function addProvider(
  { db, vault, fetch }: Deps,
  actor: UserEntry,
  { type, id, ...input }: ProviderInput & Readonly<{ type: SsoType; id?: number | undefined }>,
): Promise<ProviderView> {
  const columns = await columnsOf(db, type, input);
  await checkReachable(fetch, columns.config, {});
  return db.transaction(async (tx) => {
    const present = await tx.select({ id: identityProviders.id }).from(identityProviders);
    if (present.length >= MOST_PROVIDERS) throw new OperationError("sso_providers_full", { max: MOST_PROVIDERS });
    await checkDomainsFree(tx, columns.domains, 0);
    if (id !== undefined) await checkReserved(tx, id);
    const secretCipher = vault.encrypt(type === "oidc" ? input.secret : "");
    const values = { ...(id !== undefined && { id }), type, ...columns, secretCipher, createdAt: nowSeconds() };
    const view = viewProvider(vault, requireRow(await tx.insert(identityProviders).values(values).returning()));
    await writeManagementLog(tx, actor, `Added the identity provider ${view.name} (#${view.id})`, {
      note: { code: "sso_provider_added", params: { name: view.name, id: view.id } },
      action: "create",
      after: view,
    });
    return view;
  });
}

/** Changes a provider; its type and its identities stay. Throws OperationError. */
export async function changeProvider(
  { db, vault, fetch }: Deps,
  actor: UserEntry,
  id: number,
  input: ProviderInput,
): Promise<ProviderView> {
  const stored = await getProvider(db, id);
  const columns = await columnsOf(db, stored.type, input);
  await checkReachable(fetch, columns.config, stored.config);
  return db.transaction(async (tx) => {
    await checkDomainsFree(tx, columns.domains, id);
    const isNew = stored.type === "oidc" && input.secret !== "";
    const values = { ...columns, ...(isNew && { secretCipher: vault.encrypt(input.secret) }) };
    const [row] = await tx.update(identityProviders).set(values).where(eq(identityProviders.id, id)).returning();
    if (!row) throw new OperationError("sso_provider_not_found");
    const view = viewProvider(vault, row);
    await writeManagementLog(tx, actor, `Changed the identity provider ${view.name} (#${id})`, {
      note: { code: "sso_provider_changed", params: { name: view.name, id } },
      action: "update",
      before: viewProvider(vault, stored),
      after: { ...view, ...(isNew && { secret: "changed" }) },
    });
    return view;
  });
}

/** Deletes a provider. Accounts stay, with what else they sign in with. Throws OperationError. */
export async function deleteProvider(
  { db, vault }: Pick<Deps, "db" | "vault">,
  actor: UserEntry,
  id: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.delete(identityProviders).where(eq(identityProviders.id, id)).returning();
    if (!row) throw new OperationError("sso_provider_not_found");
    await writeManagementLog(tx, actor, `Deleted the identity provider ${row.name} (#${id})`, {
      note: { code: "sso_provider_deleted", params: { name: row.name, id } },
      action: "delete",
      before: viewProvider(vault, row),
    });
  });
}

/** A provider's row. Throws OperationError when there is none. */
export async function getProvider(db: DbOrTx, id: number): Promise<ProviderRow> {
  const [row] = await db.select().from(identityProviders).where(eq(identityProviders.id, id));
  if (!row) throw new OperationError("sso_provider_not_found");
  return row;
}

/** A new issuer must answer, so that a typing mistake shows at once, and other changes work while it is away. */
async function checkReachable(fetch: SafeFetch, config: ProviderRow["config"], stored: ProviderRow["config"]) {
  const { issuer } = config;
  if (!issuer || issuer === stored.issuer) return;
  await discover(fetch, issuer, issuer).catch((error) => {
    // What people read who cannot sign in says nothing to an administrator.
    if (!(error instanceof OperationError) || error.code === "sso_issuer_differs") throw error;
    throw new OperationError("sso_discovery_failed", { address: discoveryAddress(issuer) });
  });
}

async function columnsOf(db: DbOrTx, type: SsoType, input: ProviderInput) {
  const name = input.name.trim();
  if (name === "" || [...name].length > LONGEST_NAME)
    throw new OperationError("alert_name_invalid", { max: LONGEST_NAME });
  if (!SSO_ICONS.some((icon) => icon === input.icon)) throw new OperationError("sso_icon_unknown");
  const config: Record<string, string> = {};
  for (const [field, { isOptional }] of Object.entries(SSO_FIELDS[type])) {
    const value = (input.config[field] ?? "").trim();
    if (value === "" && !isOptional) throw new OperationError("sso_field_required", { field });
    if (value !== "") config[field] = value;
  }
  if (config.issuer && !/^https?:\/\/[^?#]+$/i.test(config.issuer)) throw new OperationError("sso_issuer_invalid");
  if (config.entry_point && !/^https?:\/\/[^\s#]+$/i.test(config.entry_point)) {
    throw new OperationError("sso_entry_point_invalid");
  }
  if (config.certificate && !areCertificates(config.certificate)) throw new OperationError("sso_certificate_invalid");
  const domains = [...new Set(input.domains.map((domain) => domain.trim().toLowerCase()).filter(Boolean))];
  const wrong = domains.find((domain) => !isDomain(domain));
  if (wrong !== undefined) throw new OperationError("sso_domain_invalid", { domain: wrong.slice(0, 80) });
  if (domains.length > MOST_DOMAINS) throw new OperationError("sso_too_many", { max: MOST_DOMAINS });
  if (input.enforced && domains.length === 0) throw new OperationError("sso_domains_required");
  const mappings = await mappingsOf(db, input.mappings);
  return {
    ...{ name, icon: input.icon, enabled: input.enabled, config, domains, mappings },
    ...{ enforced: input.enforced, createsAccounts: input.creates_accounts },
  };
}

async function mappingsOf(db: DbOrTx, input: ProviderInput["mappings"]): Promise<GroupMapping[]> {
  if (input.length > MOST_MAPPINGS) throw new OperationError("sso_too_many", { max: MOST_MAPPINGS });
  const organizations = new Set(
    (
      await db
        .select({ id: users.id, kind: users.kind, deletedAt: users.deletedAt })
        .from(users)
        .where(
          isOneOf(
            users.id,
            input.map(({ organization_id: id }) => id),
          ),
        )
    ).flatMap(({ id, kind, deletedAt }) => (kind === "organization" && deletedAt === null ? [id] : [])),
  );
  return input.map(({ group, organization_id: organizationId, role }) => {
    const name = group.trim();
    const mapped = MAPPED_ROLES.find((known) => known === role);
    const isKnown = organizations.has(organizationId);
    if (name === "" || name.length > LONGEST_GROUP || !mapped || !isKnown) {
      throw new OperationError("sso_mapping_invalid", { group: name.slice(0, 80) });
    }
    return { group: name, organization_id: organizationId, role: mapped };
  });
}

/** One provider answers for a domain: otherwise nobody could know where its people sign in. */
async function checkDomainsFree(db: DbOrTx, domains: readonly string[], exceptId: number): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended('identity provider domains', 0))`);
  const rows = await db.select().from(identityProviders);
  const other = rows.find((row) => row.id !== exceptId && row.domains.some((domain) => domains.includes(domain)));
  const domain = other?.domains.find((taken) => domains.includes(taken));
  if (other && domain) throw new OperationError("sso_domain_taken", { domain, name: other.name });
}

/** Whether a text is certificates that can be read. */
function areCertificates(text: string): boolean {
  const certificates = certificatesOf(text);
  try {
    for (const certificate of certificates) {
      new X509Certificate(certificate.startsWith("-----") ? certificate : Buffer.from(certificate, "base64"));
    }
    return certificates.length > 0;
  } catch {
    return false;
  }
}

const viewProvider = (vault: Vault, row: ProviderRow): ProviderView => ({
  ...{ id: row.id, type: row.type as SsoType, name: row.name, enabled: row.enabled, config: row.config },
  icon: SSO_ICONS.find((icon) => icon === row.icon) ?? "",
  // That of SAML is our own key.
  secret_set: row.type === "oidc" && vault.decrypt(row.secretCipher) !== "",
  ...{ domains: row.domains, enforced: row.enforced, creates_accounts: row.createsAccounts },
  mappings: [...row.mappings],
  scim: row.scimTokenHash !== null,
  created_time: row.createdAt,
});
