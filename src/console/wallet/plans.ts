import { Elysia, t } from "elysia";
import { REMINDER_METHODS } from "../../../db/schema/wallet/plans/plans.ts";
import { readSeats } from "../../domain/accounts/organizations/members/seats.ts";
import { closeCase, listCases } from "../../domain/wallet/payments/cases.ts";
import { advanceSubscriptions } from "../../domain/wallet/plans/advance-subscriptions.ts";
import { startCardPlan } from "../../domain/wallet/plans/card/checkout.ts";
import { createDrivers } from "../../domain/wallet/plans/card/drivers.ts";
import { openCardPortal } from "../../domain/wallet/plans/card/stripe/driver.ts";
import {
  changePlan,
  endNow,
  previewChange,
  setPaused,
  setPausedByAdmin,
  setRenewal,
} from "../../domain/wallet/plans/changes/change-subscription.ts";
import { createCoupon, findCoupon, listCoupons, priceWith, retireCoupon } from "../../domain/wallet/plans/coupons.ts";
import {
  listOwnSubscriptions,
  listPlans,
  listSubscriptions,
  retirePlan,
  savePlan,
} from "../../domain/wallet/plans/plans.ts";
import type { ChangeInput } from "../../domain/wallet/plans/read-change.ts";
import { orderNextPeriod, orderPlan } from "../../domain/wallet/plans/renewal/order-period.ts";
import { setRenewalMethod } from "../../domain/wallet/plans/renewal/set-renewal-method.ts";
import { findPlan, grantPlan, type PlanDeps, subscribe } from "../../domain/wallet/plans/subscribe.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { requireServerAddress } from "../../settings/option/public-address.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { paged, pagingQuery } from "../http/paging.ts";
import type { PaymentServices } from "./payments/payments.ts";

export const planBody = t.Object({
  id: t.Optional(id),
  name: t.String(),
  description: t.String(),
  price: t.Number(),
  period: t.String(),
  periodCount: t.Number(),
  windowQuota: t.Number(),
  window: t.String(),
  windowCalls: t.Number({ default: 0 }),
  userGroup: t.String({ maxLength: 64 }),
  trialDays: t.Number(),
  allowsOverage: t.Boolean({ default: true }),
  isVisible: t.Boolean(),
  seats: t.Optional(t.Nullable(t.Number())),
  seatPrice: t.Number({ default: 0 }),
  models: t.Array(t.String({ maxLength: 1000 }), { default: [], maxItems: 1000 }),
  requestsPerMinute: t.Number({ default: 0 }),
  tokensPerMinute: t.Number({ default: 0 }),
});

/** Seats in all; a plan without a limit has none to name. */
const seats = t.Optional(integer({ minimum: 1, maximum: 2_147_483_647 }));
// Elysia takes the first value of an enumeration where none is sent.
const periodMethod = t.UnionEnum(REMINDER_METHODS, { default: undefined });
const renewalMethod = t.Optional(t.UnionEnum(["balance", ...REMINDER_METHODS], { default: undefined }));
const couponCode = t.String({ maxLength: 100 });
const couponBody = t.Object({
  code: couponCode,
  percentOff: t.Number({ default: 0 }),
  amountOff: t.Number({ default: 0 }),
  duration: t.String({ maxLength: 20 }),
  planId: t.Nullable(id),
  maxUses: t.Number({ default: 0 }),
  validUntil: t.Number({ default: 0 }),
});

/** A change to another plan, or to another number of seats. Throws OperationError. */
function changeOf(
  input: Readonly<{
    id: number;
    plan_id?: number | undefined;
    seats?: number | undefined;
    drawn_units?: number | undefined;
    drawn_calls?: number | undefined;
  }>,
): ChangeInput {
  const { id: subscriptionId, plan_id: planId, seats: count, drawn_units: units, drawn_calls: calls } = input;
  const drawn = units === undefined || calls === undefined ? undefined : { units, calls };
  if (count !== undefined) return { subscriptionId, seats: count, drawn };
  if (planId === undefined) throw new OperationError("plan_not_found");
  return { subscriptionId, planId, drawn };
}

/** Unknown coupons that a person may try: short codes could be guessed. */
const WRONG_COUPONS = { count: 20, windowMs: 600_000 };

/** Plans and subscriptions: an account's own, and everybody's for administrators. */
export function planRoutes(options: PlanDeps & PaymentServices, guarded: ReturnType<typeof guard>) {
  const { db } = options;
  const services = { ...options, drivers: createDrivers(options) };
  const wrongCoupons = createRateLimiter(WRONG_COUPONS);
  const limitGuesses = async <T>(person: Readonly<{ id: number }>, work: () => Promise<T>): Promise<T> => {
    const seconds = wrongCoupons.check(String(person.id));
    if (seconds > 0) throw new OperationError("redeem_too_often", { seconds });
    try {
      return await work();
    } catch (error) {
      if (error instanceof OperationError && error.code === "coupon_invalid") wrongCoupons.take(String(person.id));
      throw error;
    }
  };
  return new Elysia({ prefix: "/api", name: "console/plans" })
    .use(guarded)
    .guard({ account: "wallet.read" }, (app) =>
      app
        .get("/user/plans", async () => ok(await listPlans(db, { onlyVisible: true })))
        .get("/user/subscriptions", async ({ actor }) => ok(await listOwnSubscriptions(db, actor.id)))
        .get(
          "/user/subscriptions/change",
          async ({ actor, query }) => ok(await previewChange(services, actor, changeOf(query))),
          { query: t.Object({ id, plan_id: t.Optional(id), seats }) },
        ),
    )
    .guard({ account: "wallet.topUp" }, (app) =>
      app
        .post(
          "/user/subscriptions",
          async ({ actor, person, request, body }) => {
            await limitGuesses(person, () =>
              subscribe(services, actor.id, body.plan_id, nowSeconds(), body.coupon, body.seats),
            );
            return done(request, "plan_subscribed");
          },
          { body: t.Object({ plan_id: id, coupon: t.Optional(couponCode), seats }) },
        )
        .post(
          "/user/subscriptions/checkout",
          async ({ actor, person, body }) => {
            const site = requireServerAddress(services.settings);
            const { plan_id: planId, ...input } = body;
            const url = await limitGuesses(person, () => startCardPlan(services, actor, { planId, ...input, site }));
            return ok({ url });
          },
          {
            body: t.Object({
              plan_id: id,
              coupon: t.Optional(couponCode),
              seats,
              service: t.Optional(t.Union([t.Literal("stripe"), t.Literal("paypal")])),
            }),
          },
        )
        .post(
          "/user/subscriptions/order",
          async ({ actor, person, body }) => {
            const { plan_id: planId, method, coupon } = body;
            const site = requireServerAddress(services.settings);
            const input = { planId, method, site, coupon, seats: body.seats };
            return ok(await limitGuesses(person, () => orderPlan(services, actor, input)));
          },
          { body: t.Object({ plan_id: id, method: periodMethod, coupon: t.Optional(couponCode), seats }) },
        )
        .post(
          "/user/subscriptions/next",
          async ({ actor, body }) => {
            const site = requireServerAddress(services.settings);
            return ok(await orderNextPeriod(services, actor, { subscriptionId: body.id, method: body.method, site }));
          },
          { body: t.Object({ id, method: periodMethod }) },
        )
        .post("/user/subscriptions/portal", async ({ actor }) =>
          ok({ url: await openCardPortal(services, actor.id, requireServerAddress(services.settings)) }),
        )
        .get(
          "/user/coupon",
          async ({ actor, person, query }) => {
            const plan = await findPlan(db, query.plan_id);
            const applied = { userId: actor.id, planId: plan.id, now: nowSeconds() };
            const coupon = await limitGuesses(person, () => findCoupon(db, query.code, applied));
            const price = priceWith(plan, coupon, readSeats(plan, query.seats));
            return ok({ price, duration: coupon.duration });
          },
          { query: t.Object({ code: couponCode, plan_id: id, seats }) },
        )
        .put(
          "/user/subscriptions",
          async ({ actor, request, body }) => {
            if (body.plan_id !== undefined || body.seats !== undefined) {
              const site = requireServerAddress(services.settings);
              const { url } = await changePlan(services, actor, { ...changeOf(body), at: body.at, site });
              return ok({ url }, url === null ? say("subscription_saved", languageOf(request)) : "");
            }
            if (body.pay_method !== undefined)
              await setRenewalMethod(
                services,
                actor.id,
                body.id,
                body.pay_method === "balance" ? null : body.pay_method,
              );
            else if (body.paused !== undefined) await setPaused(services, actor.id, body.id, body.paused);
            else await setRenewal(services, actor.id, body.id, body.renew !== false);
            return done(request, "subscription_saved");
          },
          {
            body: t.Object({
              id,
              plan_id: t.Optional(id),
              // The time of the preview that is confirmed, in epoch seconds, and what the plan had paid then.
              at: t.Optional(integer({ minimum: 0, maximum: 99_999_999_999 })),
              drawn_units: t.Optional(integer({ minimum: 0 })),
              drawn_calls: t.Optional(integer({ minimum: 0 })),
              seats,
              renew: t.Optional(t.Boolean()),
              paused: t.Optional(t.Boolean()),
              pay_method: renewalMethod,
            }),
          },
        ),
    )
    .guard({ role: "admin" }, (app) =>
      app
        .get("/plan", async () => ok(await listPlans(db, { onlyVisible: false })))
        .get("/payment_case", ({ query }) => paged(query, (page) => listCases(db, page)), {
          query: t.Object(pagingQuery),
        })
        .post(
          "/payment_case/close",
          async ({ actor, request, body }) => {
            await closeCase(db, actor, body.id, body.note);
            return done(request, "case_closed");
          },
          { body: t.Object({ id, note: t.String({ maxLength: 1000 }) }) },
        )
        .get(
          "/subscription",
          ({ query }) => paged(query, (page) => listSubscriptions(db, { ...page, all: query.all })),
          {
            query: t.Object({ ...pagingQuery, all: t.Boolean({ default: false }) }),
          },
        )
        .post(
          "/subscription/grant",
          async ({ actor, request, body }) => {
            await grantPlan(services, actor, body.user_id, body.plan_id);
            return done(request, "subscription_saved");
          },
          { body: t.Object({ user_id: id, plan_id: id }) },
        )
        .post(
          "/subscription/pause",
          async ({ actor, request, body }) => {
            await setPausedByAdmin(services, actor, body.id, body.paused);
            return done(request, "subscription_saved");
          },
          { body: t.Object({ id, paused: t.Boolean() }) },
        )
        .post(
          "/subscription/end",
          async ({ actor, request, body }) => {
            const userId = await endNow(services, actor, body.id);
            await advanceSubscriptions(services, undefined, undefined, userId);
            return done(request, "subscription_saved");
          },
          { body: t.Object({ id }) },
        ),
    )
    .guard({ role: "root" }, (app) =>
      app
        .get("/coupon", ({ query }) => paged(query, (page) => listCoupons(db, page)), { query: t.Object(pagingQuery) })
        .post("/coupon", async ({ actor, body }) => ok({ id: await createCoupon(services, actor, body) }), {
          body: couponBody,
        })
        .delete(
          "/coupon",
          async ({ actor, request, query }) => {
            await retireCoupon(services, actor, query.id);
            return done(request, "coupon_retired");
          },
          { query: t.Object({ id }) },
        )
        .post("/plan", async ({ actor, body }) => ok({ id: await savePlan(services, actor, body) }), { body: planBody })
        .delete(
          "/plan",
          async ({ actor, request, query }) => {
            await retirePlan(services, actor, query.id);
            return done(request, "plan_retired");
          },
          { query: t.Object({ id }) },
        ),
    );
}
