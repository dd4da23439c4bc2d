import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds, quotaUnits } from "../columns.ts";
import { plans } from "./plans/plans.ts";

export const redemptionCodes = pgTable(
  "redemption_codes",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** Who created it. */
    userId: integer("user_id").references(() => users.id, { onDelete: "set null" }),
    key: text("key").notNull(),
    name: text("name").notNull().default(""),
    /** 1 unused, 2 disabled, 3 used. */
    status: integer("status").notNull().default(1),
    quota: quotaUnits("quota").notNull(),
    /** The plan that it gives for one period instead of quota. */
    planId: integer("plan_id").references(() => plans.id),
    isGift: boolean("is_gift").notNull().default(false),
    /** -1: unlimited. */
    maxUses: integer("max_uses").notNull().default(-1),
    usedCount: integer("used_count").notNull().default(0),
    /** Uses at the gateway it was imported from by people who did not come along: no row of `redemption_uses` records them. */
    carriedUses: integer("carried_uses").notNull().default(0),
    validFrom: epochSeconds("valid_from").notNull().default(0),
    validUntil: epochSeconds("valid_until").notNull().default(0),
    createdTime: epochSeconds("created_time").notNull(),
    redeemedTime: epochSeconds("redeemed_time").notNull().default(0),
    usedUserId: integer("used_user_id").references(() => users.id, { onDelete: "set null" }),
    deletedAt: epochSeconds("deleted_at"),
  },
  (t) => [
    uniqueIndex("redemption_codes_key_key").on(t.key),
    index("redemption_codes_name_idx").on(t.name),
    check("redemption_codes_status_known", sql`${t.status} in (1, 2, 3)`),
    check("redemption_codes_worth", sql`${t.quota} > 0 or ${t.planId} is not null`),
    check("redemption_codes_uses", sql`${t.maxUses} = -1 or ${t.usedCount} <= ${t.maxUses}`),
  ],
);

/** Who used which code when; a user uses a code once. */
export const redemptionUses = pgTable(
  "redemption_uses",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    codeId: integer("code_id")
      .notNull()
      .references(() => redemptionCodes.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    quota: quotaUnits("quota").notNull(),
    usedTime: epochSeconds("used_time").notNull(),
  },
  (t) => [
    uniqueIndex("redemption_uses_code_user_key").on(t.codeId, t.userId),
    index("redemption_uses_user_idx").on(t.userId),
  ],
);
