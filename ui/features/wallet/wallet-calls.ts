import { queryOptions } from "@tanstack/react-query";
import type { PayMethod } from "../../../src/domain/wallet/quote.ts";
import type { TopUpWays } from "../../../src/domain/wallet/top-up-ways.ts";
import { ApiError, request } from "../../api/client.ts";

/** `page` counts from 0. */
type Page = Readonly<{ page: number; pageSize: number }>;
type Listed<T> = Readonly<{ items: T[]; total: number }>;

/** A page of a list whose first page is 1 to the server. */
export const readList = async <T>(
  path: string,
  { page, pageSize }: Page,
  signal: AbortSignal,
  filters: Readonly<Record<string, string | undefined>>,
): Promise<Listed<T>> =>
  (await request<Listed<T>>(path, { query: { ...filters, p: page + 1, page_size: pageSize }, signal })).data;

/** Where everything about one's own money lives in the cache. */
export const WALLET_KEY = ["wallet"] as const;

export const topUpWays = queryOptions({
  queryKey: [...WALLET_KEY, "ways"],
  queryFn: async ({ signal }) => (await request<TopUpWays>("/api/user/topup/ways", { signal })).data,
});

/** What a top-up costs, as decimal text. */
export const priceOf = (amount: number, method: PayMethod) =>
  queryOptions({
    queryKey: [...WALLET_KEY, "price", amount, method],
    queryFn: async ({ signal }) => (await askPayment<string>("/api/user/amount", amount, method, signal)).data,
    retry: false,
  });

/** Starts a payment: a form to be posted to an address or, without fields, an address to go to. */
export async function startPayment(amount: number, method: PayMethod) {
  const { data, url } = await askPayment<Record<string, string>>("/api/user/pay", amount, method);
  return { fields: data, url };
}

/** These calls say in `data` what went wrong. */
async function askPayment<T>(path: string, amount: number, method: PayMethod, signal?: AbortSignal) {
  const body = { amount, top_up_code: "", payment_method: method };
  const answer = await request<T, { url: string }>(path, { method: "POST", body, signal, acceptFailure: true });
  if (!answer.success) throw new ApiError(String(answer.data ?? answer.message), 200, null, answer.code ?? null);
  return answer;
}

/** Uses a redemption or gift code; the quota units gained. */
export const redeemCode = async (key: string) =>
  (await request<{ quota: number; is_gift: boolean }>("/api/user/topup", { method: "POST", body: { key } })).data;

/** Credits an order whose payment came but was never told. */
export const completeOrder = (tradeNo: string) =>
  request<null>("/api/topup/complete", { method: "POST", body: { trade_no: tradeNo } });
