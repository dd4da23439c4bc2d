import { foreignKey, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { organizationMembers } from "../accounts/organizations/organizations.ts";
import { users } from "../accounts/users.ts";
import { epochSeconds } from "../columns.ts";

/** MCP servers whose tools callers may use. */
export const mcpServers = pgTable(
  "mcp_servers",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    name: text("name").notNull(),
    /** JSON: address, authentication, who may use which tools, limits, price. */
    definition: text("definition").notNull(),
    /** The key, or the secret of the OAuth client; encrypted. Empty: none. */
    secretCipher: text("secret_cipher").notNull().default(""),
    /** The OpenAPI document that was pasted; empty: none, or it is fetched. */
    document: text("document").notNull().default(""),
    /** What its process wrote to standard error when it was last listed. */
    output: text("output").notNull().default(""),
    /** When its tools were last listed; null: never. */
    checkedAt: epochSeconds("checked_at"),
    /** Why the last listing failed, as `keepReason` writes it; empty: it did not. */
    lastError: text("last_error").notNull().default(""),
    /** Tools that the last listing left out, because of their names or sizes. */
    skippedTools: integer("skipped_tools").notNull().default(0),
    /** The administrator whose sign-in lists its tools; null: they are listed without one. */
    listedBy: integer("listed_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [uniqueIndex("mcp_servers_name_key").on(t.name)],
);

/** Tools of MCP servers. Callers get those whose description is offered as it was approved. */
export const mcpTools = pgTable(
  "mcp_tools",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    serverId: integer("server_id")
      .notNull()
      .references(() => mcpServers.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** JSON, as the server describes it now; null: it no longer lists it. */
    offered: text("offered"),
    /** SHA-256 of its canonical form, in hex. */
    offeredHash: text("offered_hash"),
    /** The same as an administrator approved it; null: nobody has. */
    approved: text("approved"),
    approvedHash: text("approved_hash"),
    approvedAt: epochSeconds("approved_at"),
    /** The id of the administrator; 0: nobody. */
    approvedBy: integer("approved_by").notNull().default(0),
  },
  (t) => [uniqueIndex("mcp_tools_name_key").on(t.serverId, t.name)],
);

/** The gateway as a client of the authorization server of an MCP server, where it has registered itself (RFC 7591). */
export const mcpClients = pgTable("mcp_clients", {
  serverId: integer("server_id")
    .primaryKey()
    .references(() => mcpServers.id, { onDelete: "cascade" }),
  issuer: text("issuer").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  /** JSON: what the registration returned; encrypted. */
  clientCipher: text("client_cipher").notNull(),
});

/** What deleted sign-ins had, until it is revoked at its authorization server: a trigger fills it (0000_initial.sql). */
export const mcpRevocations = pgTable("mcp_revocations", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  grantCipher: text("grant_cipher").notNull(),
  /** The secret of the server's OAuth client; encrypted. Empty: none. */
  secretCipher: text("secret_cipher").notNull(),
  attempts: integer("attempts").notNull().default(0),
  nextAt: epochSeconds("next_at").notNull().default(0),
});

/** Sign-ins of accounts at MCP servers. */
export const mcpSignIns = pgTable(
  "mcp_sign_ins",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    serverId: integer("server_id")
      .notNull()
      .references(() => mcpServers.id, { onDelete: "cascade" }),
    /** The person or organization whose calls use it: no call of another account does. */
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The same if it is an organization, else null: then it ends with the membership of who signed in. */
    organizationId: integer("organization_id"),
    signedInBy: integer("signed_in_by")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** JSON: the tokens, and where they may go; encrypted. Empty: it has ended, so somebody must sign in again. */
    grantCipher: text("grant_cipher").notNull(),
    /** What the authorization server has granted; empty: it does not say. */
    scope: text("scope").notNull().default(""),
    /** What the server has missed since, which the next sign-in requests too. */
    missingScope: text("missing_scope").notNull().default(""),
    signedInAt: epochSeconds("signed_in_at").notNull(),
    /** When the access token was issued. */
    issuedAt: epochSeconds("issued_at").notNull(),
    /** When the access token expires; null: the authorization server does not say. */
    expiresAt: epochSeconds("expires_at"),
    /** Counts up with each new token. */
    version: integer("version").notNull().default(0),
    /** Until then one process renews the token, or nobody does after a failure; by the clock of the database. */
    renewingUntil: epochSeconds("renewing_until").notNull().default(0),
    /** Why the last renewal failed, as `keepReason` writes it; empty: it did not. */
    lastError: text("last_error").notNull().default(""),
  },
  (t) => [
    uniqueIndex("mcp_sign_ins_account_key").on(t.serverId, t.userId),
    index("mcp_sign_ins_user_idx").on(t.userId),
    index("mcp_sign_ins_member_idx").on(t.signedInBy, t.organizationId),
    foreignKey({
      name: "mcp_sign_ins_member_fk",
      columns: [t.organizationId, t.signedInBy],
      foreignColumns: [organizationMembers.organizationId, organizationMembers.userId],
    }).onDelete("cascade"),
  ],
);
