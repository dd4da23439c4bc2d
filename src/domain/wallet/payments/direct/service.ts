import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { WalletDeps } from "../../operation.ts";

export type DirectDeps = WalletDeps & Readonly<{ fetch: SafeFetch; log: Logger }>;
export type ServiceDeps = Readonly<{ settings: SettingsReader; fetch: SafeFetch }>;

/** What is to be paid, as it was ordered; `money` is decimal text. */
export type DirectOrder = Readonly<{
  tradeNo: string;
  money: string;
  /** ISO 4217, upper case. */
  currency: string;
  subject: string;
  site: string;
}>;

/**
 * Where to pay: a page to open, or a code to scan with the service's app. `gatewayNo`: the service's number of the order, where it
 * is needed to look the payment up.
 */
export type PaymentPlace = Readonly<{ url: string; isCode: boolean; gatewayNo?: string }>;

/** An order that was started. `gatewayNo`: the service's number of the order, and of its payment once it was paid. */
export type StartedOrder = Pick<DirectOrder, "tradeNo" | "money" | "currency"> & Readonly<{ gatewayNo: string }>;

/** What a service says of an order. `money`: what was paid, decimal text. */
export type PaymentState =
  | Readonly<{ state: "paid"; money: string; currency: string; gatewayNo: string }>
  | Readonly<{ state: "open" | "closed" }>;

/** `refused`: the service will not, whatever one does; a doubt is an exception. */
export type RefundState = Readonly<{ state: "done" | "pending" }> | Readonly<{ state: "refused"; reason: string }>;

/** A service that the operator has a contract with, without anybody between. All methods throw PaymentServiceError. */
export type PaymentService = Readonly<{
  isSetUp(settings: SettingsReader): boolean;
  start(deps: ServiceDeps, order: DirectOrder): Promise<PaymentPlace>;
  find(deps: ServiceDeps, order: StartedOrder): Promise<PaymentState>;
  /** Pays all of an order back. Asking again does not pay again. */
  refund(deps: ServiceDeps, order: StartedOrder): Promise<RefundState>;
}>;

/** A service did not answer, answered what cannot be believed, or refused. */
export class PaymentServiceError extends Error {
  override name = "PaymentServiceError";
}

/** The number of an order's refund: the same each time, so that it is paid once. */
export const refundNoOf = (tradeNo: string): string => `${tradeNo}R`;

/** Services are outside: what they have not answered by then is looked up later. */
export const SERVICE_TIMEOUT_MS = 15_000;
