import { sql } from "drizzle-orm";
import { boolean, check, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";

/** Which group at the provider makes somebody what in which organization. */
export type GroupMapping = Readonly<{
  group: string;
  organization_id: number;
  role: "admin" | "billing" | "developer" | "viewer";
}>;

/** Identity providers of companies, next to the services that have settings of their own. Identities name them `sso-ID`. */
export const identityProviders = pgTable(
  "identity_providers",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    type: text("type").$type<"oidc" | "saml">().notNull(),
    /** As people know it. */
    name: text("name").notNull(),
    /** One of the console's icons; empty: a key. */
    icon: text("icon").notNull().default(""),
    enabled: boolean("enabled").notNull().default(true),
    /** Addresses, ids and certificates; no secrets. */
    config: jsonb("config").$type<Readonly<Record<string, string>>>().notNull(),
    /** The client's secret, encrypted; the cipher of an empty text: none. */
    secretCipher: text("secret_cipher").notNull(),
    /** Domains of email addresses that this provider answers for. */
    domains: text("domains").array().notNull().default([]),
    /** People of these domains sign in with this provider only. */
    enforced: boolean("enforced").notNull().default(false),
    /** Makes accounts for people who are new here, also where registration is closed. */
    createsAccounts: boolean("creates_accounts").notNull().default(false),
    mappings: jsonb("mappings").$type<readonly GroupMapping[]>().notNull().default([]),
    /** Keyed hash of the token that it provisions people with by SCIM; null: it doesn't. */
    scimTokenHash: text("scim_token_hash"),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("identity_providers_scim_token_hash_key").on(t.scimTokenHash),
    check("identity_providers_type_known", sql`${t.type} in ('oidc', 'saml')`),
  ],
);
