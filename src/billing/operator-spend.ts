import { and, eq, sql } from "drizzle-orm";
import { operatorSpend } from "../../db/schema/accounts/organizations/budgets.ts";
import type { Db } from "../../db/types.ts";

/** The day of a time in UTC, as days since 1970. */
export const dayOf = (epochSeconds: number): number => Math.floor(epochSeconds / 86_400);

/** A part of a day's budget, in quota units. */
export type SpendReservation = Readonly<{ purpose: string; day: number; amount: number }>;

/**
 * Reserves a part of what the operator may spend on a purpose on a day, over all processes. Resolves null if less is left. A
 * process that is killed leaves what it reserved: then less is spent than allowed, never more.
 */
export async function reserveSpend(
  db: Db,
  { purpose, day, amount }: SpendReservation,
  limit: number,
): Promise<SpendReservation | null> {
  if (amount > limit) return null;
  const rows = await db
    .insert(operatorSpend)
    .values({ purpose, day, spent: amount })
    .onConflictDoUpdate({
      target: [operatorSpend.purpose, operatorSpend.day],
      set: { spent: sql`${operatorSpend.spent} + ${amount}` },
      setWhere: sql`${operatorSpend.spent} + ${amount} <= ${limit}`,
    })
    .returning({ spent: operatorSpend.spent });
  return rows.length > 0 ? { purpose, day, amount } : null;
}

/** Replaces what was reserved by what was spent. */
export async function settleSpend(db: Db, { purpose, day, amount }: SpendReservation, spent: number): Promise<void> {
  await db
    .update(operatorSpend)
    .set({ spent: sql`${operatorSpend.spent} + ${spent - amount}` })
    .where(and(eq(operatorSpend.purpose, purpose), eq(operatorSpend.day, day)));
}

/** What was spent on a purpose on a day, with what is reserved. */
export async function readSpend(db: Db, purpose: string, day: number): Promise<number> {
  const [row] = await db
    .select()
    .from(operatorSpend)
    .where(and(eq(operatorSpend.purpose, purpose), eq(operatorSpend.day, day)));
  return row?.spent ?? 0;
}
