import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { tokens } from "../api-keys.ts";
import { epochSeconds } from "../columns.ts";
import { users } from "./users.ts";

/** Clients of OAuth that registered themselves (RFC 7591). Those whose id is the address of their metadata have no row. */
export const oauthClients = pgTable(
  "oauth_clients",
  {
    id: text("id").primaryKey(),
    /** What the client calls itself. */
    name: text("name").notNull(),
    redirectUris: text("redirect_uris").array().notNull(),
    /** Keyed hash of the secret; empty: a public client. */
    secretHash: text("secret_hash").notNull().default(""),
    /** How it authenticates at the token endpoint. */
    authMethod: text("auth_method").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** When somebody last gave it access; 0: nobody has. */
    usedAt: epochSeconds("used_at").notNull().default(0),
  },
  (t) => [
    index("oauth_clients_used_idx").on(t.usedAt, t.createdAt),
    check(
      "oauth_clients_auth_method_known",
      sql`${t.authMethod} in ('none', 'client_secret_basic', 'client_secret_post')`,
    ),
  ],
);

/** Access to the MCP servers that people gave to applications, each with an API key of its own. */
export const oauthGrants = pgTable(
  "oauth_grants",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** The id of a registered client, or the address of its metadata. */
    clientId: text("client_id").notNull(),
    clientName: text("client_name").notNull(),
    /** Where the code was sent. */
    redirectUri: text("redirect_uri").notNull(),
    /** The server whose address was requested; empty: the address of all. */
    server: text("server").notNull(),
    /** Who gave access; whose money it is, the key says. */
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenId: integer("token_id")
      .notNull()
      .references(() => tokens.id, { onDelete: "cascade" }),
    createdAt: epochSeconds("created_at").notNull(),
    /** When the application last got tokens; 0: it has not redeemed its code. */
    refreshedAt: epochSeconds("refreshed_at").notNull().default(0),
    /** Without a refresh by then, access ends. */
    expiresAt: epochSeconds("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("oauth_grants_token_key").on(t.tokenId),
    index("oauth_grants_user_idx").on(t.userId),
    index("oauth_grants_client_idx").on(t.clientId),
    index("oauth_grants_expires_idx").on(t.expiresAt),
  ],
);

/** Codes and tokens of applications. Those that were used stay until they expire, so that a second use is noticed. */
export const oauthTokens = pgTable(
  "oauth_tokens",
  {
    /** Keyed hash of the code or token. */
    hash: text("hash").primaryKey(),
    grantId: integer("grant_id")
      .notNull()
      .references(() => oauthGrants.id, { onDelete: "cascade" }),
    kind: text("kind").notNull(),
    /** The code's challenge of PKCE (S256); empty for tokens. */
    challenge: text("challenge").notNull().default(""),
    expiresAt: epochSeconds("expires_at").notNull(),
    /** When a code was redeemed, or a refresh token replaced; 0: not yet. */
    usedAt: epochSeconds("used_at").notNull().default(0),
  },
  (t) => [
    index("oauth_tokens_grant_idx").on(t.grantId),
    index("oauth_tokens_expires_idx").on(t.expiresAt),
    check("oauth_tokens_kind_known", sql`${t.kind} in ('code', 'access', 'refresh')`),
  ],
);
