import { queryOptions } from "@tanstack/react-query";
import type { ReminderMethod } from "../../../../db/schema/wallet/plans/plans.ts";
import type { ChangePreview } from "../../../../src/domain/wallet/plans/changes/change-subscription.ts";
import type { CouponInput } from "../../../../src/domain/wallet/plans/coupons.ts";
import type { PlanInput } from "../../../../src/domain/wallet/plans/plans.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";

/** Plans that are offered to users. */
export const offeredPlans = queryOptions({
  queryKey: [...WALLET_KEY, "plans"],
  queryFn: ({ signal }) => readData(planApi.user.plans.get({ fetch: { signal } })),
});

/** The account's running subscriptions. */
export const ownSubscriptions = queryOptions({
  queryKey: [...WALLET_KEY, "subscriptions"],
  queryFn: ({ signal }) => readData(planApi.user.subscriptions.get({ fetch: { signal } })),
});

/** Every plan that is not retired, for administrators. */
export const allPlans = queryOptions({
  queryKey: [...WALLET_KEY, "all-plans"],
  queryFn: ({ signal }) => readData(planApi.plan.get({ fetch: { signal } })),
});

/** What somebody enters to subscribe to a plan; `seats`: in all, where an organization adds some. */
type Subscribing = Readonly<{ planId: number; coupon: string; seats?: number }>;

const bodyOf = ({ planId, coupon, seats }: Subscribing) => ({
  plan_id: planId,
  ...(coupon && { coupon }),
  ...(seats !== undefined && { seats }),
});

export const subscribeTo = (input: Subscribing) => readEnvelope(planApi.user.subscriptions.post(bodyOf(input)));
/** What a coupon makes of the price of a plan. */
export const readCoupon = ({ planId, coupon, seats }: Subscribing) =>
  readData(
    planApi.user.coupon.get({ query: { plan_id: planId, code: coupon, ...(seats !== undefined && { seats }) } }),
  );
/** Another plan, or another number of seats. */
export type Change = Readonly<{ planId: number } | { seats: number }>;
const fieldsOf = (change: Change) => ("seats" in change ? { seats: change.seats } : { plan_id: change.planId });

/** What a change costs, and when it begins. */
export const changePreview = (id: number, change: Change) =>
  queryOptions({
    queryKey: [...WALLET_KEY, "change", id, change],
    queryFn: ({ signal }) =>
      readData(planApi.user.subscriptions.change.get({ query: { id, ...fieldsOf(change) }, fetch: { signal } })),
    // It is of the moment, and a service is asked for it.
    ...{ staleTime: 60_000, gcTime: 0, retry: false, refetchOnWindowFocus: false },
  });

/** Changes the plan or its seats; `confirmed`: its preview. Resolves with the address of a page to pay or approve on; null: nothing is left to do. */
export async function changePlan(
  id: number,
  change: Change,
  confirmed?: ChangePreview,
): Promise<Readonly<{ url: string | null }>> {
  const { at, drawn_units, drawn_calls } = confirmed ?? {};
  const data = await readData(
    planApi.user.subscriptions.put({ id, ...fieldsOf(change), ...(confirmed && { at, drawn_units, drawn_calls }) }),
  );
  return data ?? { url: null };
}
export const setRenewal = (id: number, renew: boolean) => readEnvelope(planApi.user.subscriptions.put({ id, renew }));

/** How later periods are paid; null: from the balance. */
export const setRenewalMethod = (id: number, method: ReminderMethod | null) =>
  readEnvelope(planApi.user.subscriptions.put({ id, pay_method: method ?? "balance" }));

/** Pauses a subscription at the end of its period, or resumes it. */
export const setPaused = (id: number, paused: boolean) => readEnvelope(planApi.user.subscriptions.put({ id, paused }));
/** The same for anybody's, by an administrator. */
export const setPausedOf = (id: number, paused: boolean) =>
  readEnvelope(planApi.subscription.pause.post({ id, paused }));

type SavedPlan = PlanInput &
  Required<Pick<PlanInput, "windowCalls" | "seatPrice" | "models" | "requestsPerMinute" | "tokensPerMinute">>;
export const savePlan = (plan: SavedPlan) => readData(planApi.plan.post({ ...plan, models: [...plan.models] }));
/** Resolves with the address of the service's page to pay on. */
export const payAtService = (service: "stripe" | "paypal", input: Subscribing) =>
  readData(planApi.user.subscriptions.checkout.post({ ...bodyOf(input), service }));
/** Orders the first period of a plan; null: it is free and has begun. */
export const orderPlan = (method: ReminderMethod, input: Subscribing) =>
  readData(planApi.user.subscriptions.order.post({ ...bodyOf(input), method }));
/** Orders the next period of a subscription. */
export const orderNext = (id: number, method: ReminderMethod) =>
  readData(planApi.user.subscriptions.next.post({ id, method }));
/** Resolves with the address of a page of Stripe. */
export const openPortal = () => readData(planApi.user.subscriptions.portal.post());

export const closeCase = (id: number, note: string) => readEnvelope(planApi.payment_case.close.post({ id, note }));
export const createCoupon = (coupon: CouponInput) => readData(planApi.coupon.post({ ...coupon }));
export const retireCoupon = (id: number) => readEnvelope(planApi.coupon.delete({}, { query: { id } }));
export const retirePlan = (id: number) => readEnvelope(planApi.plan.delete({}, { query: { id } }));
export const grantPlan = (userId: number, planId: number) =>
  readEnvelope(planApi.subscription.grant.post({ user_id: userId, plan_id: planId }));
export const endSubscription = (id: number) => readEnvelope(planApi.subscription.end.post({ id }));
