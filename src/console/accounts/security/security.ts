import { Elysia, t } from "elysia";
import { removeSecondFactor, viewSecurity } from "../../../domain/accounts/security/second-factor.ts";
import {
  beginTotp,
  confirmTotp,
  hasTotp,
  removeTotp,
  replaceRecoveryCodes,
  useSecondFactor,
} from "../../../domain/accounts/security/totp.ts";
import { confirmOwner, countGuess, requireSession } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import { flowCookieOf, takeFlow, tryFlow } from "../../../domain/accounts/sign-in/flows.ts";
import { factorKey } from "../../../domain/accounts/sign-in/guess-limits.ts";
import { endOtherSessions, endSession, listSessions } from "../../../domain/accounts/sign-in/sessions.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId } from "../../http/integers.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { openSession, originOf } from "../sign-in/complete-sign-in.ts";
import type { OAuthServices } from "../sign-in/oauth.ts";

const code = t.String({ maxLength: 64 });
const password = t.Optional(t.String({ maxLength: 200 }));

/** Two-factor authentication, at sign-in and in the user's settings, and the user's own sessions. */
export function securityRoutes(
  services: OAuthServices & Readonly<{ signInLimiter: Limiter }>,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { db, vault, settings, signInLimiter } = services;
  const owner = { db, limiter: signInLimiter };

  /** Consumes a code. Attempts count against the account, whichever route they use, or against a familiar device of it. */
  const requireCode = async (userId: number, input: string, key = `factor:${userId}`) => {
    await countGuess(signInLimiter, key);
    if (!(await useSecondFactor(services, userId, input))) throw new OperationError("second_factor_wrong");
    await signInLimiter.forget(key);
  };
  return new Elysia({ prefix: "/api/user", name: "console/security" })
    .use(guarded)
    .use(limits)
    .post(
      "/login/2fa",
      async ({ request, server, set, body }) => {
        const cookie = flowCookieOf(request, "second_factor");
        const flow = await tryFlow(services, "second_factor", cookie);
        if (flow?.userId == null) throw new OperationError("second_factor_expired");
        const origin = originOf(services.clientAddress, { request, server });
        await requireCode(flow.userId, body.code, await factorKey(db, flow.userId, origin));
        if (!(await takeFlow(services, "second_factor", cookie))) throw new OperationError("second_factor_expired");
        const { provider = "", signOutHint = "" } = flow.data;
        return openSession(services, { request, server, set }, flow.userId, { provider, signOutHint });
      },
      { critical: true, body: t.Object({ code }) },
    )
    .get("/security", async ({ actor }) => ok(await viewSecurity(db, actor.id)), { role: "user" })
    .post(
      "/totp/begin",
      async ({ actor, session, body }) => {
        await confirmOwner(owner, { userId: actor.id, session, password: body.password });
        return ok(await beginTotp(services, actor, settings.get("SystemName")));
      },
      { role: "user", critical: true, body: t.Object({ password }) },
    )
    .post(
      "/totp/confirm",
      async ({ actor, body }) => {
        await countGuess(signInLimiter, `factor:${actor.id}`);
        const codes = await confirmTotp(services, actor.id, body.code);
        await signInLimiter.forget(`factor:${actor.id}`);
        return ok({ recovery_codes: codes });
      },
      { role: "user", critical: true, body: t.Object({ code }) },
    )
    .post(
      "/totp/recovery_codes",
      async ({ actor, body }) => {
        if (!(await hasTotp(db, actor.id))) throw new OperationError("second_factor_off");
        await requireCode(actor.id, body.code);
        return ok({ recovery_codes: await replaceRecoveryCodes(db, vault, actor.id) });
      },
      { role: "user", critical: true, body: t.Object({ code }) },
    )
    .post(
      "/totp/remove",
      async ({ actor, body }) => {
        if (!(await hasTotp(db, actor.id))) throw new OperationError("second_factor_off");
        await requireCode(actor.id, body.code);
        await removeTotp(db, actor.id);
        return ok(null);
      },
      { role: "user", critical: true, body: t.Object({ code }) },
    )
    .delete(
      "/:id/second_factor",
      async ({ actor, session, params }) => {
        requireSession(session);
        await removeSecondFactor(db, actor, params.id);
        return ok(null);
      },
      { role: "admin", params: t.Object({ id: rowId }) },
    )
    .get("/sessions", async ({ actor, session }) => ok(await listSessions(db, actor.id, session?.id ?? null)), {
      role: "user",
    })
    .delete(
      "/sessions/:id",
      async ({ actor, params }) => {
        await endSession(services, actor.id, params.id);
        return ok(null);
      },
      { role: "user" },
    )
    .delete(
      "/sessions",
      async ({ actor, session }) => ok({ ended: await endOtherSessions(services, actor.id, session?.id ?? null) }),
      { role: "user" },
    );
}
