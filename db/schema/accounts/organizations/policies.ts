import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";
import { users } from "../users.ts";
import { projects } from "./organizations.ts";

/** What a policy demands; what is empty or 0 demands nothing. */
export type PolicyRules = Readonly<{
  /** Patterns of model names, with `*` for any text. */
  models: readonly string[];
  channel_types: readonly number[];
  /** Patterns of channels' regions; absent in policies that are older than it. */
  regions?: readonly string[];
  /** One address or CIDR range a line. */
  allow_ips: string;
  /** One word or `regex:` pattern a line. */
  blocked_words: string;
  /** Contents of calls are not logged, whatever the site does. */
  no_content_log: boolean;
  /** Days until a key expires, at most. */
  max_key_days: number;
  /** Days until the secret of a key must be rotated; absent in policies that are older than it. */
  rotation_days?: number;
  /** What one call may cost at most, in quota units. */
  max_call_quota: number;
}>;

/** Rules for all calls of an organization, or of one of its projects. Of several the strictest holds. */
export const policies = pgTable(
  "policies",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    organizationId: integer("organization_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Null: the whole organization. */
    projectId: integer("project_id").references(() => projects.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    rules: jsonb("rules").$type<PolicyRules>().notNull(),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [uniqueIndex("policies_name_key").on(t.organizationId, sql`lower(${t.name})`)],
);
