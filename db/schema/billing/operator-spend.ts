import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { quotaUnits } from "../columns.ts";

/** What the operator spends on calls that no user is charged for, by purpose and day. Reserved before a call, settled after it. */
export const operatorSpend = pgTable(
  "operator_spend",
  {
    purpose: text("purpose").notNull(),
    /** Days since 1970 in UTC. */
    day: integer("day").notNull(),
    spent: quotaUnits("spent").notNull(),
  },
  (t) => [primaryKey({ columns: [t.purpose, t.day] })],
);
