import { Elysia } from "elysia";
import type { WalletDeps } from "../wallet/operation.ts";
import { checkInRoutes } from "./check-in.ts";
import type { guard } from "./guard.ts";
import { invitationRoutes } from "./invitation.ts";

/** What users have, are given and pay. */
export function walletRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ name: "console/wallet" })
    .use(checkInRoutes(services, guarded))
    .use(invitationRoutes(services, guarded));
}
