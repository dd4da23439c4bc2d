import { integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
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
