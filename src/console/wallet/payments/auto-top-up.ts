import { Elysia, t } from "elysia";
import { readAutoTopUp, resumeAutoTopUp, saveAutoTopUp } from "../../../domain/wallet/orders/automatic/auto-top-up.ts";
import {
  confirmCardSetups,
  removeSavedCard,
  startCardSetup,
} from "../../../domain/wallet/orders/automatic/saved-card.ts";
import { done, ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { siteOf } from "../../sign-in/oauth.ts";
import type { PaymentServices } from "./payments.ts";

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
        .post("/card", async ({ actor, request, server }) =>
          ok({ url: await startCardSetup(services, actor.id, siteOf(services, { request, server })) }),
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
