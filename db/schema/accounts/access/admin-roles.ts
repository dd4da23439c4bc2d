import { sql } from "drizzle-orm";
import { integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";

/** Roles for administrators of the site between user and admin: named sets of rights. */
export const adminRoles = pgTable(
  "admin_roles",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    name: text("name").notNull(),
    /** `channels:read`: what `src/domain/accounts/access/access-rules.ts` lists. */
    rights: text("rights").array().notNull(),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [uniqueIndex("admin_roles_name_key").on(sql`lower(${t.name})`)],
);
