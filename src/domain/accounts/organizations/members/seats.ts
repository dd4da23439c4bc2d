import { and, count, eq, inArray } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { requireRow } from "../../../../../db/require-row.ts";
import { organizationMembers } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { plans, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";

/** Seats that a subscription can have. */
export const MOST_SEATS = 100_000;

type SeatPlan = Readonly<{ seats: number | null; seatPrice: number }>;

/** Members that an organization may have with a plan to which it added seats; null: any number. */
export const seatsOf = ({ seats }: Pick<SeatPlan, "seats">, extraSeats: number): number | null =>
  seats === null ? null : seats + extraSeats;

/**
 * How many seats an account adds to a plan's to have `seats` in all; undefined: those of the plan. Throws OperationError: the plan
 * sells none, or the number is out of range.
 */
export function readSeats(plan: SeatPlan, seats: number | undefined): number {
  if (seats === undefined || seats === plan.seats) return 0;
  if (plan.seats === null || plan.seatPrice === 0) throw new OperationError("plan_seats_fixed");
  if (!Number.isSafeInteger(seats) || seats < plan.seats || seats > MOST_SEATS) {
    throw new OperationError("plan_seats_invalid", { min: plan.seats, max: MOST_SEATS });
  }
  return seats - plan.seats;
}

/** How many seats are added to the plan that follows, so that there are `seats` again, if it sells any; null: it had no limit. */
export const extraSeatsAfter = (next: SeatPlan, seats: number | null): number =>
  seats === null || next.seats === null || next.seatPrice === 0 ? 0 : Math.max(0, seats - next.seats);

/** Members of an organization; of a person 0. */
export async function countMembers(db: DbOrTx, organizationId: number): Promise<number> {
  const { members } = requireRow(
    await db
      .select({ members: count() })
      .from(organizationMembers)
      .where(eq(organizationMembers.organizationId, organizationId)),
  );
  return members;
}

/**
 * Checks that the members of an account fit into a plan with the seats that it adds, and that only organizations add any. Within a
 * transaction that begins the plan the account is locked, so nobody joins meanwhile. Throws OperationError.
 */
export async function requireSeats(db: DbOrTx, userId: number, plan: SeatPlan, extraSeats: number): Promise<void> {
  if (extraSeats > 0) {
    const [user] = await db.select({ kind: users.kind }).from(users).where(eq(users.id, userId));
    if (user?.kind !== "organization") throw new OperationError("plan_seats_organizations");
  }
  const seats = seatsOf(plan, extraSeats);
  if (seats === null) return;
  const members = await countMembers(db, userId);
  if (members > seats) throw new OperationError("plan_seats_too_few", { members, seats });
}

/**
 * Members that each organization may have by its running plans; no entry: any number. The smallest number counts, also that of a plan
 * which follows with the next period.
 */
export async function readSeatLimits(db: DbOrTx, organizationIds: readonly number[]): Promise<Map<number, number>> {
  const limits = new Map<number, number>();
  if (organizationIds.length === 0) return limits;
  const nextPlans = alias(plans, "next_plans");
  const rows = await db
    .select({ subscription: subscriptions, seats: plans.seats, nextSeats: nextPlans.seats })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .leftJoin(nextPlans, eq(nextPlans.id, subscriptions.nextPlanId))
    .where(
      and(inArray(subscriptions.userId, [...organizationIds]), inArray(subscriptions.status, ["active", "past_due"])),
    );
  for (const { subscription, seats, nextSeats } of rows) {
    const { userId, extraSeats, nextExtraSeats, nextPlanId } = subscription;
    const next = nextPlanId === null ? seats : nextSeats;
    for (const limit of [seatsOf({ seats }, extraSeats), seatsOf({ seats: next }, nextExtraSeats ?? extraSeats)]) {
      if (limit !== null) limits.set(userId, Math.min(limit, limits.get(userId) ?? limit));
    }
  }
  return limits;
}

/** The seats of an organization, which is locked, if its members and those who are invited (`invited`) take all; null: one is free. */
export async function findTakenSeats(tx: Tx, organizationId: number, invited = 0): Promise<number | null> {
  const seats = (await readSeatLimits(tx, [organizationId])).get(organizationId);
  if (seats === undefined) return null;
  return (await countMembers(tx, organizationId)) + invited >= seats ? seats : null;
}

/** Checks that one is free. Throws OperationError. */
export async function requireFreeSeat(tx: Tx, organizationId: number, invited = 0): Promise<void> {
  const seats = await findTakenSeats(tx, organizationId, invited);
  if (seats !== null) throw new OperationError("organization_seats_taken", { seats });
}
