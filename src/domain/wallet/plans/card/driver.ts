import type { PlanService, planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { DirectDeps } from "../../payments/direct/service.ts";
import type { StripeDeps } from "../../payments/stripe.ts";
import type { Plan } from "../plan-account.ts";
import type { CardTerms } from "./change-terms.ts";

export type PlanOrder = typeof planOrders.$inferSelect;

/** What calls to services need, and those to Stripe. */
export type ServiceDeps = DirectDeps;
export type StripePlanDeps = ServiceDeps & StripeDeps;

/** Where the subscriber pays or approves what is not paid yet; null: nothing is left to do. */
export type Changed = Readonly<{ url: string | null }>;

/** A page of a service to pay an order on, with the service's number of it. */
export type Page = Readonly<{ sessionNo: string; url: string }>;

/** What whoever renews a subscription can do with it. */
export type Capabilities = Readonly<{
  /** Begins a plan with a higher price at once, and credits what is unused; else it begins with the next period. */
  prorates: boolean;
  pauses: boolean;
  /** A renewal that was canceled can be taken up again. */
  renewsAgain: boolean;
  /** Has pages of its own for payment methods, invoices and billing details. */
  hasPortal: boolean;
}>;

/** The balance, also where its subscriber pays each period by an order, and the services. */
export const CAPABILITIES: Readonly<Record<"balance" | PlanService, Capabilities>> = {
  balance: { prorates: true, pauses: true, renewsAgain: true, hasPortal: false },
  stripe: { prorates: true, pauses: true, renewsAgain: true, hasPortal: true },
  // Its pause is the subscriber's, who also ends it there; an end is final.
  paypal: { prorates: false, pauses: false, renewsAgain: false, hasPortal: false },
};

/**
 * Calls to a service that renews subscriptions. What the calls come to here is decided by whoever makes them, and by what the service
 * reports (`apply-invoice.ts`, `card-state.ts`). All throw OperationError, and what the service's client throws.
 */
export type ServiceDriver = Readonly<{
  isSetUp(): boolean;
  /** Opens a page to pay an order on. */
  openPage(order: PlanOrder, plan: Plan, site: string): Promise<Page>;
  /** Closes an order's page. `open`: it can't be, and `gone`: it has closed by itself. */
  closePage(order: PlanOrder, now: number): Promise<"closed" | "paid" | "open" | "gone">;
  /** Checks that the service can make a change. */
  checkChange(terms: CardTerms, now: number): void;
  /** What the service would charge now for a change that begins at once, in the currency's smallest coin. */
  previewChange(terms: CardTerms, at: number): Promise<number>;
  /** `from`: when the unused part of the period begins, epoch seconds. */
  change(terms: CardTerms, options: Readonly<{ from: number; now: number; site: string }>): Promise<Changed>;
  setRenewal(order: PlanOrder, isRenewed: boolean, now: number): Promise<void>;
  setPaused(order: PlanOrder, isPaused: boolean): Promise<void>;
  /** Charges a period that begins now, once for the same `since`: when the pause began. */
  resume(order: PlanOrder, since: number): Promise<void>;
  /** Asks for the payments of an order and the state of its subscription, and applies them. */
  lookUp(order: PlanOrder, now: number): Promise<void>;
}>;

export type ServiceDrivers = Readonly<Record<PlanService, ServiceDriver>>;
