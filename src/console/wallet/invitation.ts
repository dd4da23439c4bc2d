import { Elysia, t } from "elysia";
import { readInvitation } from "../../domain/wallet/invitations/invitation.ts";
import { setInviteCode } from "../../domain/wallet/invitations/set-invite-code.ts";
import { transferRewards } from "../../domain/wallet/invitations/transfer-rewards.ts";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Invitations and their rewards. */
export function invitationRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/user", name: "console/invitation" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/aff", async ({ actor }) => ok((await readInvitation(services, actor.id)).code))
    .get("/invitation", async ({ actor }) => ok(await readInvitation(services, actor.id)))
    .post(
      "/set_invite_code",
      async ({ actor, request, body }) => {
        await setInviteCode(services, actor.id, body.code);
        return done(request, "invite_code_set");
      },
      { body: t.Object({ code: t.String({ maxLength: 100 }) }) },
    )
    .post(
      "/aff_transfer",
      async ({ actor, request, body }) => {
        await transferRewards(services, actor.id, body.quota);
        return done(request, "transferred");
      },
      { body: t.Object({ quota: t.Number() }) },
    );
}
