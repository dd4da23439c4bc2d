import { queryOptions } from "@tanstack/react-query";
import type { RefusedPayment } from "../../../src/console/wallet/payments.ts";
import type { PayMethod } from "../../../src/domain/wallet/payments/quote.ts";
import { ApiError, readData, readEnvelope } from "../../api/client.ts";
import { paymentApi, redeemApi } from "../../api/groups.ts";

/** Where everything about one's own money lives in the cache. */
export const WALLET_KEY = ["wallet"] as const;

export const topUpWays = queryOptions({
  queryKey: [...WALLET_KEY, "ways"],
  queryFn: ({ signal }) => readData(paymentApi.user.topup.ways.get({ fetch: { signal } })),
});

/** What a top-up costs, as decimal text. */
export const priceOf = (amount: number, method: PayMethod) =>
  queryOptions({
    queryKey: [...WALLET_KEY, "price", amount, method],
    queryFn: async ({ signal }) =>
      (await readPayment(paymentApi.user.amount.post(paymentOf(amount, method), { fetch: { signal } }))).data,
    retry: false,
  });

/** Starts a payment: a form to be posted to an address or, without fields, an address to go to. */
export async function startPayment(amount: number, method: PayMethod) {
  const { data, url } = await readPayment(paymentApi.user.pay.post(paymentOf(amount, method)));
  return { fields: data, url };
}

const paymentOf = (amount: number, method: PayMethod) => ({ amount, top_up_code: "", payment_method: method });

/** These calls say in `data` what went wrong. */
async function readPayment<Paid extends { success: true }>(
  call: Promise<
    Readonly<{ data: Paid | RefusedPayment | null; error: Readonly<{ value: unknown }> | null; response: Response }>
  >,
) {
  const answer = await readEnvelope(call, { acceptFailure: true });
  if (!answer.success) throw new ApiError(answer.data, 200, null);
  return answer;
}

/** Uses a redemption or gift code; the quota units gained. */
export const redeemCode = (key: string) => readData(redeemApi.topup.post({ key }));

/** Credits an order whose payment came but was never told. */
export const completeOrder = (tradeNo: string) => readEnvelope(paymentApi.topup.complete.post({ trade_no: tradeNo }));
