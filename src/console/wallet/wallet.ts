import { Elysia } from "elysia";
import type { PlanDeps } from "../../domain/wallet/plans/subscribe.ts";
import type { guard } from "../http/guard.ts";
import { agentRoutes } from "./agents.ts";
import { checkInRoutes } from "./check-in.ts";
import { invitationRoutes } from "./invitation.ts";
import { autoTopUpRoutes } from "./payments/auto-top-up.ts";
import { paymentCallbackRoutes } from "./payments/payment-callbacks.ts";
import { type PaymentServices, paymentRoutes } from "./payments/payments.ts";
import { planRoutes } from "./plans.ts";
import { redeemRoutes } from "./redeem.ts";
import { statementRoutes } from "./statements.ts";

/** Routes for balances, rewards and payments. */
export function walletRoutes(services: PaymentServices & PlanDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ name: "console/wallet" })
    .use(checkInRoutes(services, guarded))
    .use(invitationRoutes(services, guarded))
    .use(redeemRoutes(services, guarded))
    .use(paymentRoutes(services, guarded))
    .use(autoTopUpRoutes(services, guarded))
    .use(agentRoutes(services, guarded))
    .use(statementRoutes(services, guarded))
    .use(planRoutes(services, guarded))
    .use(paymentCallbackRoutes(services));
}
