import { expect, test } from "bun:test";
import { randomFrom } from "../../../../../test/support/lib/random-json.ts";
import type { PlanChange } from "../read-change.ts";
import { dueFromBalance } from "./pay-from-balance.ts";

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
const HOUR_S = 3600;
const DAY_S = 86_400;
const PERIOD_S = 30 * DAY_S;

/** A change to a plan with a higher price in the middle of a period, with a window of the period, a day or five hours. */
function randomChange(below: (count: number) => number) {
  const windowQuota = 1 + below(1000);
  const [price, nextPrice] = [below(5000), below(5000)];
  const now = below(PERIOD_S);
  const kind = (["period", "day", "5h"] as const)[below(3)];
  const start = kind === "period" ? 0 : kind === "day" ? now - (now % DAY_S) : Math.max(0, now - below(5 * HOUR_S));
  const length = kind === "period" ? PERIOD_S : kind === "day" ? DAY_S : 5 * HOUR_S;
  const used = below(windowQuota + 1);
  const drawn = used + below(3000);
  const current = {
    ...{ paid: price, isTrial: false, extraSeats: 0, couponId: null, periodStart: 0, periodEnd: PERIOD_S },
    ...{
      windowStart: start,
      windowEnd: Math.min(PERIOD_S, start + length),
      rollingSeconds: kind === "5h" ? 5 * HOUR_S : 0,
    },
    ...{ isWindowOpen: true, remaining: windowQuota - used, drawn, drawnBefore: drawn - used },
    ...{ windowCalls: 0, callsLeft: 0, drawnCalls: 0 },
  };
  const present = { id: 1, price, seatPrice: 1 + below(50), windowQuota };
  const next = { id: 2, price: nextPrice, seatPrice: 0, windowQuota: below(1000) };
  const change = {
    current,
    present,
    next,
    extraSeats: 0,
    isUpgrade: true,
    isOfSeats: false,
    isBack: false,
    coupon: null,
  };
  return { now, used, kind, change: { ...change, price: nextPrice } as unknown as PlanChange };
}

test("a change credits no more than is unused of what was paid, in time and in quota, and takes no more than the price", () => {
  const below = randomFrom(SEED);
  for (let at = 0; at < 20_000; at++) {
    const { now, used, kind, change } = randomChange(below);
    const { current, present, next, price } = change;
    const due = dueFromBalance(change, now);
    const credited = price - due;
    const about = { seed: SEED, at, kind, due };
    expect({ ...about, isWithin: due >= 0 && due <= price }).toEqual({ ...about, isWithin: true });
    const ofTime = Math.floor((current.paid * (PERIOD_S - now)) / PERIOD_S);
    const surplus = Math.max(0, current.remaining - next.windowQuota);
    const ofQuota =
      kind === "period"
        ? Math.floor((current.paid * (present.windowQuota - used - surplus)) / present.windowQuota)
        : ofTime;
    expect({ ...about, isUnused: credited <= Math.max(0, Math.min(ofTime, ofQuota)) }).toEqual({
      ...about,
      isUnused: true,
    });
  }
});

test("seats that are added one after the other cost no less than all of them at once, and a whole period costs its price", () => {
  const below = randomFrom(SEED);
  for (let at = 0; at < 5000; at++) {
    const { now, change } = randomChange(below);
    const adding = (extraSeats: number, more: number) => {
      const { current, present } = change;
      const price = present.price + present.seatPrice * (extraSeats + more);
      return { ...change, current: { ...current, extraSeats }, isOfSeats: true, extraSeats: extraSeats + more, price };
    };
    const steps =
      dueFromBalance(adding(0, 1), now) + dueFromBalance(adding(1, 1), now) + dueFromBalance(adding(2, 1), now);
    const atOnce = dueFromBalance(adding(0, 3), now);
    expect([steps >= atOnce, steps - atOnce <= 2]).toEqual([true, true]);
    expect(dueFromBalance(adding(0, 3), 0)).toBe(3 * change.present.seatPrice);
    expect(dueFromBalance(adding(0, 3), PERIOD_S)).toBe(0);
  }
});

test("a plan that is changed at once, before anything is used, costs what the last one costs", () => {
  const below = randomFrom(SEED);
  for (let at = 0; at < 1000; at++) {
    const { change } = randomChange(below);
    const fresh = { ...change.current, remaining: change.present.windowQuota, drawnBefore: change.current.drawn };
    const next = { ...change.next, windowQuota: change.present.windowQuota };
    const current = { ...fresh, windowStart: 0, windowEnd: PERIOD_S, rollingSeconds: 0 };
    const paid = change.current.paid + dueFromBalance({ ...change, current, next }, 0);
    expect(paid).toBe(Math.max(change.current.paid, change.price));
  }
});
