import type { SubscriptionStatus, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { MessageCode } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";

type Subscription = typeof subscriptions.$inferSelect;

/** What events change of a subscription; the quota of its windows follows from it (`fillWindow`). */
export type SubscriptionState = Pick<
  Subscription,
  | "status"
  | "planId"
  | "isTrial"
  | "paid"
  | "couponId"
  | "extraSeats"
  | "periodStart"
  | "periodEnd"
  | "windowEnd"
  | "remaining"
  | "callsLeft"
  | "nextPlanId"
  | "nextExtraSeats"
  | "cancelAtEnd"
  | "pauseAtEnd"
  | "orderId"
  | "endedAt"
>;

/** A period that begins. `paid`: quota units that a change within it may credit; `orderId`: the order whose payments renew it. */
export type NewPeriod = Pick<
  SubscriptionState,
  "planId" | "extraSeats" | "isTrial" | "paid" | "couponId" | "periodStart" | "periodEnd" | "orderId"
>;

/** What can happen to a subscription, with what each event brings. */
export type SubscriptionEvents = {
  /** The next period is paid, from the balance, by an order or by a service; also after a pause. */
  renew: NewPeriod;
  /** Another plan begins at once. */
  change: NewPeriod;
  /** Seats are added to the period that runs; `added`: what they cost for all of it, in quota units. */
  addSeats: Readonly<{ extraSeats: number; added: number }>;
  /** Another plan, or another number of seats, begins with the next period; null: the present ones go on. */
  planNext: Readonly<{ planId: number | null; extraSeats: number | null }>;
  cancel: null;
  keep: null;
  pause: null;
  goOn: null;
  /** The period is over, and the next one is not paid. */
  miss: null;
  /** The period is over and none follows: what is left of the window is to be taken back, then it ends, or is paused. */
  close: Readonly<{ isPause: boolean }>;
  /** It ends at once. */
  stop: null;
  /** What was left of its window has been taken back. */
  empty: Readonly<{ now: number }>;
  /** A service says what it is going to do. */
  report: Readonly<{ isCanceled: boolean; isPaused: boolean; hasNoNext: boolean }>;
};

type Transition<Input> = Readonly<{
  from: readonly SubscriptionStatus[];
  /** The code of the error in any other state. */
  refusal: MessageCode;
  to: (state: SubscriptionState, input: Input) => Partial<SubscriptionState>;
}>;

const RUNNING = ["active", "past_due"] as const;
const CONTINUABLE = [...RUNNING, "paused"] as const;
const NONE_NEXT = { nextPlanId: null, nextExtraSeats: null } as const;

/** Every event that a subscription knows: in which states it may come, and what follows. Each comes twice without harm. */
const TRANSITIONS: { readonly [Type in keyof SubscriptionEvents]: Transition<SubscriptionEvents[Type]> } = {
  renew: {
    ...{ from: CONTINUABLE, refusal: "subscription_changed" },
    // A service that goes on with its order has not begun what was agreed for later.
    to: ({ orderId }, period) => ({
      ...{ ...period, status: "active" },
      ...((period.orderId === null || period.orderId !== orderId) && NONE_NEXT),
    }),
  },
  change: {
    ...{ from: ["active"], refusal: "subscription_not_active" },
    to: (_, period) => ({ ...period, ...NONE_NEXT, cancelAtEnd: false }),
  },
  addSeats: {
    ...{ from: ["active"], refusal: "subscription_not_active" },
    to: ({ isTrial, paid, extraSeats: before }, { extraSeats, added }) => ({
      extraSeats,
      paid: isTrial || before === extraSeats ? paid : paid + added,
    }),
  },
  planNext: {
    ...{ from: [...CONTINUABLE, "ending"], refusal: "subscription_not_active" },
    to: (_, { planId: nextPlanId, extraSeats: nextExtraSeats }) => ({ nextPlanId, nextExtraSeats }),
  },
  cancel: {
    ...{ from: CONTINUABLE, refusal: "subscription_not_found" },
    // A paused one has no period to wait for.
    to: ({ status }) => ({
      ...{ ...NONE_NEXT, cancelAtEnd: true, pauseAtEnd: false },
      ...(status === "paused" && { status: "ending", windowEnd: 0 }),
    }),
  },
  keep: { from: CONTINUABLE, refusal: "subscription_not_found", to: () => ({ cancelAtEnd: false }) },
  pause: {
    ...{ from: RUNNING, refusal: "subscription_not_active" },
    to({ cancelAtEnd }) {
      if (cancelAtEnd) throw new OperationError("subscription_canceled");
      return { pauseAtEnd: true };
    },
  },
  goOn: { from: RUNNING, refusal: "subscription_not_active", to: () => ({ pauseAtEnd: false }) },
  miss: { from: RUNNING, refusal: "subscription_changed", to: () => ({ status: "past_due" }) },
  close: {
    ...{ from: RUNNING, refusal: "subscription_changed" },
    to: ({ cancelAtEnd }, { isPause }) => ({ status: "ending", pauseAtEnd: isPause && !cancelAtEnd }),
  },
  stop: {
    ...{ from: [...CONTINUABLE, "ending"], refusal: "subscription_not_found" },
    to: () => ({ status: "ending", windowEnd: 0, pauseAtEnd: false }),
  },
  empty: {
    ...{ from: ["ending"], refusal: "subscription_changed" },
    to: ({ pauseAtEnd }, { now }) => ({
      ...{ remaining: 0, callsLeft: 0, pauseAtEnd: false },
      ...(pauseAtEnd ? { status: "paused" } : { status: "ended", endedAt: now }),
    }),
  },
  report: {
    ...{ from: [...CONTINUABLE, "ending"], refusal: "subscription_not_found" },
    to: ({ status }, { isCanceled, isPaused, hasNoNext }) => ({
      ...{ cancelAtEnd: isCanceled, ...(hasNoNext && NONE_NEXT) },
      // A period that is over is paused already, or is being taken back.
      ...(isRunning({ status }) && { pauseAtEnd: isPaused }),
    }),
  },
};

/** Whether a subscription has a period that runs, or waits for its payment. */
export const isRunning = ({ status }: Pick<SubscriptionState, "status">): boolean =>
  status === "active" || status === "past_due";

/** Whether an event may come to a subscription in its state. */
export const accepts = ({ status }: Pick<SubscriptionState, "status">, type: keyof SubscriptionEvents): boolean =>
  TRANSITIONS[type].from.includes(status);

/** What an event makes of a subscription: the fields that change. Throws OperationError: it may not come in this state. */
export function transition<Type extends keyof SubscriptionEvents>(
  state: SubscriptionState,
  type: Type,
  input: SubscriptionEvents[Type],
): Partial<SubscriptionState> {
  const { from, refusal, to }: Transition<SubscriptionEvents[Type]> = TRANSITIONS[type];
  if (!from.includes(state.status)) throw new OperationError(refusal);
  return to(state, input);
}
