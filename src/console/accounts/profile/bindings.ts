import { Elysia, t } from "elysia";
import { isSsoName } from "../../../domain/accounts/identity/sso-rules.ts";
import { bindEmail, unbindEmail } from "../../../domain/accounts/profile/bind-email.ts";
import { requireFresh } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import { useOnce } from "../../../domain/accounts/sign-in/flows.ts";
import { bindIdentity, unbindIdentity } from "../../../domain/accounts/sign-in/identities/bind-identity.ts";
import {
  identifyByWeChat,
  readTelegramProof,
  type TelegramProof,
  telegramAddress,
} from "../../../domain/accounts/sign-in/identities/messengers.ts";
import { OUTSIDE_LABELS } from "../../../domain/accounts/sign-in/identities/oauth-providers.ts";
import type { OutsideName } from "../../../domain/accounts/sign-in/identities/provider.ts";
import { findBound, signInByIdentity } from "../../../domain/accounts/sign-in/identities/sign-in-by-identity.ts";
import type { Mailer } from "../../../domain/notifications/mail.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { languageOf } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import { done, ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { enter } from "../sign-in/complete-sign-in.ts";
import { type OAuthServices, requireFreshCaller } from "../sign-in/oauth.ts";

const text = t.Optional(t.String({ maxLength: 1024 }));
const codeQuery = t.Object({ code: t.String({ maxLength: 64 }), aff: t.Optional(t.String({ maxLength: 64 })) });
const proofQuery = t.Object({
  id: text,
  first_name: text,
  last_name: text,
  username: text,
  photo_url: text,
  auth_date: text,
  hash: text,
});

/**
 * Sign-in and binding without OAuth (WeChat codes, Telegram proofs, email addresses), and unbinding of any identity.
 * Unbinding needs a recent sign-in, so that a stolen older session is not enough.
 */
export function bindingRoutes(
  services: OAuthServices & Readonly<{ mailer: Mailer }>,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { settings, signInAddresses } = services;

  /** Each Telegram proof works once: a proof read from a browser history or a log can't be replayed. */
  const readProof = async (proof: TelegramProof) => {
    if (!settings.get("TelegramOAuthEnabled")) throw new OperationError("oauth_disabled", { service: "Telegram" });
    const identity = readTelegramProof(settings, proof, nowSeconds());
    if (!(await useOnce(services, "telegram_proof", proof.hash?.toLowerCase() ?? ""))) {
      throw new OperationError("telegram_proof_wrong");
    }
    return identity;
  };
  return new Elysia({ prefix: "/api", name: "console/bindings" })
    .use(guarded)
    .use(limits)
    .get(
      "/oauth/wechat",
      async ({ request, server, set, query }) => {
        const identity = await identifyByWeChat(services, query.code);
        const userId = await signInByIdentity(services, "wechat", identity, query.aff ?? "");
        return enter(services, { request, server, set }, userId, "wechat");
      },
      { critical: true, query: codeQuery },
    )
    .get(
      "/oauth/wechat/bind",
      async ({ actor, session, request, query }) => {
        requireFresh(session);
        const { subject } = await identifyByWeChat(services, query.code);
        await bindIdentity(services, actor.id, { name: "wechat", label: OUTSIDE_LABELS.wechat }, subject);
        return done(request, "bound");
      },
      { role: "user", critical: true, query: codeQuery },
    )
    .get(
      "/oauth/telegram/start",
      async ({ request, query }) => {
        await requireFreshCaller(services, request);
        if (!settings.get("TelegramOAuthEnabled")) throw new OperationError("oauth_disabled", { service: "Telegram" });
        const returnTo = `${requireServerAddress(settings)}/oauth/telegram?${new URLSearchParams(query)}`;
        return ok({ url: telegramAddress(settings, signInAddresses.telegram, returnTo) });
      },
      { critical: true, query: t.Object({ state: t.String({ maxLength: 64 }) }) },
    )
    .get(
      "/oauth/telegram/login",
      async ({ request, server, set, query }) => {
        const { subject } = await readProof(query);
        const userId = await findBound(services.db, "telegram", subject);
        if (userId === null) throw new OperationError("telegram_not_bound");
        return enter(services, { request, server, set }, userId, "telegram");
      },
      { critical: true, query: proofQuery },
    )
    .get(
      "/oauth/telegram/bind",
      async ({ actor, session, request, query }) => {
        requireFresh(session);
        const { subject } = await readProof(query);
        await bindIdentity(services, actor.id, { name: "telegram", label: OUTSIDE_LABELS.telegram }, subject);
        return done(request, "bound");
      },
      { role: "user", critical: true, query: proofQuery },
    )
    .get(
      "/oauth/email/bind",
      async ({ actor, session, request, query }) => {
        requireFresh(session);
        await bindEmail(services, { ...query, userId: actor.id, language: languageOf(request) });
        return done(request, "email_bound");
      },
      {
        role: "user",
        critical: true,
        query: t.Object({ email: t.String({ maxLength: 320 }), code: t.String({ maxLength: 64 }) }),
      },
    )
    .delete(
      "/user/bindings/:provider",
      async ({ actor, session, request, params }) => {
        requireFresh(session);
        if (params.provider === "email") await unbindEmail(services, actor.id, languageOf(request));
        else if (isOutsideName(params.provider) || isSsoName(params.provider))
          await unbindIdentity(services, actor.id, params.provider);
        else throw new OperationError("identity_not_bound");
        return done(request, "unbound");
      },
      { role: "user" },
    );
}

const isOutsideName = (name: string): name is OutsideName => Object.hasOwn(OUTSIDE_LABELS, name);
