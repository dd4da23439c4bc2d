import { Elysia, t } from "elysia";
import { listRebates, REBATE_SORTS } from "../../../domain/wallet/invitations/rebates.ts";
import { readAutoTopUp, resumeAutoTopUp, saveAutoTopUp } from "../../../domain/wallet/orders/automatic/auto-top-up.ts";
import {
  confirmCardSetups,
  removeSavedCard,
  startCardSetup,
} from "../../../domain/wallet/orders/automatic/saved-card.ts";
import {
  exportOrders,
  listOrders,
  listOwnOrders,
  ORDER_SORTS,
  OWN_ORDER_SORTS,
} from "../../../domain/wallet/orders/list-orders.ts";
import { topUpWays } from "../../../domain/wallet/orders/payment-methods.ts";
import { endUnclearRefund, refundOrder } from "../../../domain/wallet/orders/refund-order.ts";
import type { PaypalDeps } from "../../../domain/wallet/orders/reports/paypal-webhook.ts";
import { completeOrder } from "../../../domain/wallet/orders/settle-order.ts";
import { directMethod, startDirect } from "../../../domain/wallet/payments/direct/services.ts";
import { startEpay } from "../../../domain/wallet/payments/epay.ts";
import { startStripe } from "../../../domain/wallet/payments/stripe.ts";
import { quoteWithTax } from "../../../domain/wallet/payments/tax/tax.ts";
import type { PlanDeps } from "../../../domain/wallet/plans/subscribe.ts";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { languageOf, say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import { csvFile } from "../../http/csv-file.ts";
import { done, ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { pagedSorted, pagingQuery, sortingQuery } from "../../http/paging.ts";

export type PaymentServices = PlanDeps &
  Readonly<{ clientAddress: ClientAddress; fetch: SafeFetch; log: Logger; stripeAddress: string }> &
  Pick<PaypalDeps, "certificateRoots">;

/** Ways to pay with a price of their own; the others have one in common. */
const PRICED_APART = ["stripe", "paypal"] as const;

/** By what clients of the ecosystem call them. */
const EPAY_METHODS: ReadonlyMap<string, "zfb" | "wx"> = new Map([
  ["zfb", "zfb"],
  ["wx", "wx"],
  ["wxpay", "wx"],
]);

const payBody = t.Object({
  amount: t.Number(),
  top_up_code: t.Optional(t.String({ maxLength: 200 })),
  payment_method: t.Optional(t.String({ maxLength: 20 })),
});

const orderFilter = { keyword: t.Optional(t.String()), status: t.Optional(t.String()) };

/** Top-ups and the user's orders. */
export function paymentRoutes(services: PaymentServices, guarded: ReturnType<typeof guard>) {
  const { db, settings } = services;
  return new Elysia({ prefix: "/api", name: "console/payments" })
    .use(guarded)
    .get("/user/topup/ways", ({ actor }) => ok(topUpWays(settings, actor.group)), { account: "wallet.read" })
    .get(
      "/user/topup/orders",
      ({ actor, query }) => pagedSorted(OWN_ORDER_SORTS, query, (page) => listOwnOrders(db, actor.id, page)),
      { account: "wallet.read", query: t.Object({ ...pagingQuery, ...sortingQuery(OWN_ORDER_SORTS) }) },
    )
    .get(
      "/user/topup/rebates",
      ({ actor, query }) => pagedSorted(REBATE_SORTS, query, (page) => listRebates(db, actor.id, page)),
      { role: "user", query: t.Object({ ...pagingQuery, ...sortingQuery(REBATE_SORTS) }) },
    )
    .guard({ account: "wallet.topUp" }, (app) =>
      app
        .post(
          "/user/amount",
          ({ actor, request, body }) =>
            inItsOwnWords(request, async () => {
              const method = PRICED_APART.find((known) => known === body.payment_method) ?? "zfb";
              const { money, tax } = await quoteWithTax(services, actor, body.amount, method);
              return { data: money, tax };
            }),
          { body: payBody },
        )
        .post(
          "/user/pay",
          ({ actor, request, body }) =>
            inItsOwnWords(request, async () => {
              const payment = { user: actor, amount: body.amount, site: requireServerAddress(settings) };
              if (body.payment_method === "stripe")
                return { data: {}, url: await startStripe(services, payment), is_code: false };
              const direct = directMethod(body.payment_method ?? "");
              if (direct) {
                const { url, isCode } = await startDirect(services, payment, direct);
                return { data: {}, url, is_code: isCode };
              }
              const method = EPAY_METHODS.get(body.payment_method ?? "wx");
              if (!method) throw new OperationError("payment_method_unknown");
              const { url, fields } = await startEpay(services, payment, method);
              return { data: fields, url, is_code: false };
            }),
          { body: payBody },
        ),
    )
    .get("/topup/", ({ query }) => pagedSorted(ORDER_SORTS, query, (page) => listOrders(db, filterOf(query), page)), {
      role: "admin",
      query: t.Object({ ...pagingQuery, ...sortingQuery(ORDER_SORTS), ...orderFilter }),
    })
    .get(
      "/topup/export",
      ({ query }) => csvFile("orders", exportOrders(db, filterOf(query), settings.get("QuotaPerUnit"))),
      {
        role: "admin",
        query: t.Object(orderFilter),
      },
    )
    .post(
      "/topup/complete",
      async ({ actor, request, body }) => {
        await completeOrder(services, actor, body.trade_no);
        return done(request, "order_completed");
      },
      { role: "admin", body: t.Object({ trade_no: t.String({ maxLength: 100 }) }) },
    )
    .post(
      "/topup/refund",
      async ({ actor, request, body }) => {
        if (body.is_paid_back !== undefined) {
          await endUnclearRefund(services, actor, body.trade_no, body.is_paid_back);
          return done(request, "order_refund_ended");
        }
        const isOnItsWay = await refundOrder(services, actor, body.trade_no);
        if (!isOnItsWay) throw new OperationError("order_refund_refused");
        return done(request, "order_refund_on_its_way");
      },
      {
        role: "admin",
        body: t.Object({ trade_no: t.String({ maxLength: 100 }), is_paid_back: t.Optional(t.Boolean()) }),
      },
    );
}

/** The error response when a payment can't be started, in the caller's language. */
export type RefusedPayment = { success: false; message: "error"; data: string };

/** These routes respond with "success" or "error" as the message and the reason in `data`, as clients of one-api expect. */
async function inItsOwnWords<T extends object>(
  request: Request,
  work: () => Promise<T>,
): Promise<({ success: true; message: "success" } & T) | RefusedPayment> {
  try {
    return { success: true, message: "success", ...(await work()) };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { success: false, message: "error", data: say(error.code, languageOf(request), error.params) };
  }
}

const filterOf = ({ keyword, status }: { keyword?: string; status?: string }) => ({
  ...(keyword && { keyword }),
  ...(status && { status }),
});

/** Automatic top-up of an account, and the card that pays for it. */
export function autoTopUpRoutes(services: PaymentServices, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/user/auto_top_up", name: "console/auto-top-up" })
    .use(guarded)
    .get("", async ({ actor }) => ok(await readAutoTopUp(services, actor.id)), { account: "wallet.read" })
    .guard({ account: "wallet.topUp" }, (app) =>
      app
        .put(
          "",
          async ({ actor, person, request, body }) => {
            await saveAutoTopUp(services, actor, person, body);
            return done(request, "auto_top_up_saved");
          },
          {
            body: t.Object({
              is_on: t.Boolean(),
              threshold: t.Number(),
              amount: t.Number(),
              monthly_limit: t.Number(),
            }),
          },
        )
        .post("/resume", async ({ actor, person, request }) => {
          await resumeAutoTopUp(services, actor.id, person);
          return done(request, "auto_top_up_resumed");
        })
        .post("/card", async ({ actor }) =>
          ok({ url: await startCardSetup(services, actor.id, requireServerAddress(services.settings)) }),
        )
        .post("/card/confirm", async ({ actor }) => {
          await confirmCardSetups(services, actor.id);
          return ok(await readAutoTopUp(services, actor.id));
        })
        .delete("/card", async ({ actor, person, request }) => {
          await removeSavedCard(services, actor.id, person);
          return done(request, "card_removed");
        }),
    );
}
