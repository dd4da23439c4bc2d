import { expect, test } from "bun:test";
import { SUBSCRIPTION_STATUSES } from "../../../../db/schema/wallet/plans/plans.ts";
import { randomFrom } from "../../../../test/support/lib/random-json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { accepts, type SubscriptionEvents, type SubscriptionState, transition } from "./lifecycle.ts";

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
const DAY_S = 86_400;

const NEW: SubscriptionState = {
  ...{ status: "active", planId: 1, isTrial: false, paid: 1000, couponId: null, extraSeats: 0, orderId: null },
  ...{ periodStart: 0, periodEnd: 30 * DAY_S, windowEnd: 30 * DAY_S, remaining: 500, callsLeft: 3, endedAt: null },
  ...{ nextPlanId: null, nextExtraSeats: null, cancelAtEnd: false, pauseAtEnd: false },
};

type Event = {
  [Type in keyof SubscriptionEvents]: readonly [Type, SubscriptionEvents[Type]];
}[keyof SubscriptionEvents];

/** Events of all kinds, as `below` chooses what they bring. */
function eventsOf(state: SubscriptionState, below: (count: number) => number): Event[] {
  const isOne = () => below(2) === 0;
  const period = {
    ...{ planId: 1 + below(3), extraSeats: below(3), isTrial: isOne(), paid: below(2000), couponId: null },
    ...{ periodStart: state.periodEnd, periodEnd: state.periodEnd + 30 * DAY_S, orderId: isOne() ? null : below(3) },
  };
  return [
    ["renew", period],
    ["change", period],
    ["addSeats", { extraSeats: state.extraSeats + below(3), added: below(100) }],
    ["planNext", isOne() ? { planId: null, extraSeats: null } : { planId: below(3), extraSeats: below(3) }],
    ["cancel", null],
    ["keep", null],
    ["pause", null],
    ["goOn", null],
    ["miss", null],
    ["close", { isPause: isOne() }],
    ["stop", null],
    ["empty", { now: 40 * DAY_S }],
    ["report", { isCanceled: isOne(), isPaused: isOne(), hasNoNext: isOne() }],
  ];
}

/** The state after an event; null: it may not come. */
function after(state: SubscriptionState, [type, input]: Event): SubscriptionState | null {
  try {
    return { ...state, ...transition(state, type, input as never) };
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}

/** All states that random events lead to. */
function* walk(seed: number, steps: number) {
  const below = randomFrom(seed);
  let state = NEW;
  for (let step = 0; step < steps; step++) {
    const events = eventsOf(state, below);
    const event = events[below(events.length)] as Event;
    const next = after(state, event);
    yield { state, event, next };
    state = next ?? state;
    if (state.status === "ended") state = NEW;
  }
}

test("every state that events in any order lead to has a way to its end", () => {
  const below = randomFrom(SEED);
  for (const { state } of walk(SEED, 3000)) {
    const reached = new Set([JSON.stringify(state)]);
    for (const known of reached) {
      const from: SubscriptionState = JSON.parse(known);
      if (from.status === "ended") break;
      for (const event of eventsOf(from, below).filter(([type]) =>
        ["cancel", "close", "stop", "empty"].includes(type),
      )) {
        const next = after(from, event);
        if (next) reached.add(JSON.stringify(next));
      }
    }
    const statuses = [...reached].map((known) => (JSON.parse(known) as SubscriptionState).status);
    expect({ seed: SEED, state, statuses }).toMatchObject({ statuses: expect.arrayContaining(["ended"]) });
  }
});

test("whatever comes in whichever order, a state stays one of the known ones; an event that may not come changes nothing", () => {
  for (const { state, event, next } of walk(SEED, 20_000)) {
    const [type] = event;
    if (!accepts(state, type)) expect({ type, next }).toEqual({ type, next: null });
    if (!next) continue;
    expect(SUBSCRIPTION_STATUSES).toContain(next.status);
    // Only what has been emptied ends, or is paused, and nothing is left of it.
    if (next.status === "ended" || (next.status === "paused" && state.status !== "paused"))
      expect({ type, from: state.status, left: next.remaining + next.callsLeft }).toEqual({
        type: "empty",
        from: "ending",
        left: 0,
      });
    // Nobody is both canceled and paused by what people do.
    if (type !== "report" && !(state.cancelAtEnd && state.pauseAtEnd))
      expect(next.cancelAtEnd && next.pauseAtEnd).toBe(false);
    if (next.status === "ended")
      expect(eventsOf(next, randomFrom(SEED)).filter(([name]) => accepts(next, name))).toEqual([]);
  }
});

test("an event that comes twice counts once", () => {
  for (const { event, next } of walk(SEED, 20_000)) {
    if (!next) continue;
    const again = after(next, event);
    if (again) expect(again).toEqual(next);
  }
});

test("what has been paid for a period changes with a new period and with seats alone", () => {
  for (const { state, event, next } of walk(SEED, 20_000)) {
    if (!next || next.paid === state.paid) continue;
    const [type, input] = event;
    const paid =
      type === "addSeats" ? state.paid + input.added : type === "renew" || type === "change" ? input.paid : null;
    expect({ type, paid: next.paid }).toEqual({ type, paid: paid as number });
  }
});
