import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { RefusedPayment } from "../../../src/console/wallet/payments/payments.ts";
import type { PayMethod } from "../../../src/domain/wallet/payments/quote.ts";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { ApiError, readData, readEnvelope } from "../../api/client.ts";
import { checkInApi, invitationApi, paymentApi, redeemApi } from "../../api/groups.ts";

/** Reads again what a change of plans shows: the wallet, and the account with its balance. */
export const reloadWallet = (client: QueryClient) =>
  Promise.all([client.invalidateQueries({ queryKey: WALLET_KEY }), client.invalidateQueries({ queryKey: ["self"] })]);

export const paymentOptions = queryOptions({
  queryKey: [...WALLET_KEY, "ways"],
  queryFn: ({ signal }) => readData(paymentApi.user.topup.ways.get({ fetch: { signal } })),
});

/** The ways to pay that the site offers; none while they are loaded. */
export const useOfferedMethods = (): readonly PayMethod[] => {
  const { data } = useQuery(paymentOptions);
  return (data?.ways ?? []).map(({ method }) => method);
};

/** The price of a top-up, as decimal text, and the tax in it. */
export const priceOf = (amount: number, method: PayMethod) =>
  queryOptions({
    queryKey: [...WALLET_KEY, "price", amount, method],
    queryFn: async ({ signal }) => {
      const answer = await readPayment(paymentApi.user.amount.post(paymentOf(amount, method), { fetch: { signal } }));
      return { money: answer.data, tax: answer.tax };
    },
    retry: false,
  });

/** Starts a payment: returns a form to post to a URL or, without fields, a URL to open or to show as a code. */
export async function startPayment(amount: number, method: PayMethod) {
  const { data, url, is_code: isCode } = await readPayment(paymentApi.user.pay.post(paymentOf(amount, method)));
  return { fields: data, url, isCode };
}

/** Leaves the page by posting a form to another site, as payment services require. */
export function postForm(url: string, fields: Readonly<Record<string, string>>): void {
  // The security policy allows form posts to https only; a payment service without https gets the fields in the URL.
  if (url.startsWith("http://")) {
    window.location.assign(`${url}?${new URLSearchParams(fields)}`);
    return;
  }
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

const paymentOf = (amount: number, method: PayMethod) => ({ amount, top_up_code: "", payment_method: method });

/** These calls return the error message in `data`. */
async function readPayment<Paid extends { success: true }>(
  call: Promise<
    Readonly<{ data: Paid | RefusedPayment | null; error: Readonly<{ value: unknown }> | null; response: Response }>
  >,
) {
  const answer = await readEnvelope(call, { acceptFailure: true });
  if (!answer.success) throw new ApiError(answer.data, 200, null);
  return answer;
}

/** Redeems a redemption or gift code; returns the quota units gained. */
export const redeemCode = (key: string) => readData(redeemApi.topup.post({ key }));

/** Credits an order that was paid but whose payment callback never arrived. */
export const completeOrder = (tradeNo: string) => readEnvelope(paymentApi.topup.complete.post({ trade_no: tradeNo }));

/** Takes an order's quota back and refunds its payment. */
/** Says whether a refund that its service has not confirmed was paid back. */
export const endRefund = (tradeNo: string, isPaidBack: boolean) =>
  readEnvelope(paymentApi.topup.refund.post({ trade_no: tradeNo, is_paid_back: isPaidBack }));
export const refundOrder = (tradeNo: string) => readEnvelope(paymentApi.topup.refund.post({ trade_no: tradeNo }));

export const checkInStatus = queryOptions({
  queryKey: ["check-in"],
  queryFn: ({ signal }) => readData(checkInApi.check_in_status.get({ fetch: { signal } })),
});

/** Checks in for today and returns the quota units gained. */
export const checkIn = async (): Promise<number> => (await readData(checkInApi.check_in.post())).quota;

export const invitation = queryOptions({
  queryKey: ["invitation"],
  queryFn: ({ signal }) => readData(invitationApi.invitation.get({ fetch: { signal } })),
});

export const setInviteCode = (code: string) => readData(invitationApi.set_invite_code.post({ code }));

export const transferRewards = (quota: number) => readData(invitationApi.aff_transfer.post({ quota }));

const PLACES = 4;

/** Multiplies decimal text with up to four decimals by a whole number. */
export function timesPrice(price: string, count: number): string {
  const [units = "0", fraction = ""] = price.split(".");
  const digits = (BigInt(units + fraction.padEnd(PLACES, "0")) * BigInt(count)).toString().padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
