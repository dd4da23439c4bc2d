import { and, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { organizationMembers } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planHolders, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";

/** The people behind an account, by their ids: the owners of an organization, else the account itself. */
export async function personsBehind(db: DbOrTx, userId: number): Promise<readonly number[]> {
  const [account] = await db.select({ kind: users.kind }).from(users).where(eq(users.id, userId));
  if (account?.kind !== "organization") return [userId];
  const owners = await db
    .select({ id: organizationMembers.userId })
    .from(organizationMembers)
    .where(and(eq(organizationMembers.organizationId, userId), eq(organizationMembers.role, "owner")))
    .orderBy(organizationMembers.userId);
  return owners.map(({ id }) => id);
}

/** The account, the people behind it, and the organizations that they own: what somebody may use once, one of these uses. */
export async function accountsOf(db: DbOrTx, userId: number): Promise<readonly number[]> {
  const persons = await personsBehind(db, userId);
  const owned = await db
    .select({ id: organizationMembers.organizationId })
    .from(organizationMembers)
    .where(and(inArray(organizationMembers.userId, [userId, ...persons]), eq(organizationMembers.role, "owner")));
  return [...new Set([userId, ...persons, ...owned.map(({ id }) => id)])];
}

/**
 * Whether an account, or one of the people behind it by another account, has or had a plan: its trial is used up, also where the
 * subscription has changed to another plan since.
 */
export async function hadPlan(db: DbOrTx, userId: number, planId: number): Promise<boolean> {
  const [own] = await db
    .select({ one: sql`1` })
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), eq(subscriptions.planId, planId)))
    .limit(1);
  return own !== undefined || (await isHeld(db, userId, planId, sql`true`));
}

/** Whether one of the people behind an account had a plan first by another account. */
export const hadOtherwise = (db: DbOrTx, userId: number, planId: number): Promise<boolean> =>
  isHeld(db, userId, planId, ne(planHolders.accountId, userId));

async function isHeld(db: DbOrTx, userId: number, planId: number, by: SQL): Promise<boolean> {
  const persons = await personsBehind(db, userId);
  const [held] = await db
    .select({ one: sql`1` })
    .from(planHolders)
    .where(and(eq(planHolders.planId, planId), inArray(planHolders.personId, [userId, ...persons]), by))
    .limit(1);
  return held !== undefined;
}

/**
 * Notes that an account gets a plan, for all the people behind it, whoever they own organizations with later. Of two accounts of a
 * person at the same time the second waits for the first. Returns whether all of these people have it for the first time.
 */
export async function noteHolders(tx: Tx, userId: number, planId: number): Promise<boolean> {
  const persons = await personsBehind(tx, userId);
  if (persons.length === 0) return true;
  const noted = await tx
    .insert(planHolders)
    .values(persons.map((personId) => ({ planId, personId, accountId: userId })))
    .onConflictDoNothing()
    .returning({ personId: planHolders.personId });
  return noted.length === persons.length;
}
