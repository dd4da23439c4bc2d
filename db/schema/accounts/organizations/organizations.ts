import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../../columns.ts";
import { identityProviders } from "../identity-providers/identity-providers.ts";
import { users } from "../users.ts";

/** What a member may do; `src/domain/accounts/organizations/rights.ts` has the table. */
export const ORGANIZATION_ROLES = ["owner", "admin", "billing", "developer", "viewer"] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** Parts of an organization that group API keys: a product, a team, an environment. */
export const projects = pgTable(
  "projects",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    organizationId: integer("organization_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [uniqueIndex("projects_name_key").on(t.organizationId, sql`lower(${t.name})`)],
);

/** Who belongs to which organization, an account of kind `organization`. */
export const organizationMembers = pgTable(
  "organization_members",
  {
    organizationId: integer("organization_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role").$type<OrganizationRole>().notNull(),
    /** Rights of the role that the member does not have. */
    withheld: text("withheld").array().notNull().default(sql`'{}'`),
    joinedAt: epochSeconds("joined_at").notNull(),
    /** What the member moved into the organization's wallet and has not moved out again. */
    funded: quotaUnits("funded").notNull().default(0),
    /** The identity provider whose groups keep this membership; null: people do. */
    providerId: integer("provider_id").references(() => identityProviders.id, { onDelete: "set null" }),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.userId] }),
    index("organization_members_user_idx").on(t.userId),
    check("organization_members_role_known", sql`${t.role} in ('owner', 'admin', 'billing', 'developer', 'viewer')`),
    check("organization_members_not_itself", sql`${t.organizationId} <> ${t.userId}`),
  ],
);

/** Links that make whoever opens them first a member. */
export const organizationInvitations = pgTable(
  "organization_invitations",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    organizationId: integer("organization_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role").$type<OrganizationRole>().notNull(),
    /** Where the link was mailed to; null: whoever invites passes it on. */
    email: text("email"),
    /** What the new member may spend in a month; null: no limit of their own. */
    monthlyBudget: quotaUnits("monthly_budget"),
    /** Keyed hash of the token in the link. */
    tokenHash: text("token_hash").notNull(),
    createdBy: integer("created_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: epochSeconds("created_at").notNull(),
    expiresAt: epochSeconds("expires_at").notNull(),
    acceptedAt: epochSeconds("accepted_at"),
    acceptedBy: integer("accepted_by").references(() => users.id, { onDelete: "set null" }),
  },
  (t) => [
    uniqueIndex("organization_invitations_token_hash_key").on(t.tokenHash),
    index("organization_invitations_organization_idx").on(t.organizationId),
    check("organization_invitations_role_known", sql`${t.role} in ('admin', 'billing', 'developer', 'viewer')`),
  ],
);
