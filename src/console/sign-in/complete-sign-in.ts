import type { Db } from "../../../db/types.ts";
import { hasTotp } from "../../domain/accounts/credentials/totp.ts";
import { rememberLanguage } from "../../domain/accounts/profile/remember-language.ts";
import { startFlow } from "../../domain/accounts/sessions/flows.ts";
import { sessionCookie } from "../../domain/accounts/sessions/session-cookie.ts";
import type { Sessions } from "../../domain/accounts/sessions/sessions.ts";
import { type UserView, viewUser } from "../../domain/accounts/users/user-view.ts";
import type { ClientAddress, PeerSource } from "../../lib/http/client-ip.ts";
import { languageOf } from "../../lib/messages.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { type Envelope, ok } from "../http/envelope.ts";
import { flowCookie } from "./flow-cookie.ts";

export type EntranceServices = Readonly<{ db: Db; vault: Vault; sessions: Sessions; clientAddress: ClientAddress }>;

/** A call that may sign somebody in. */
export type EntranceCall = {
  request: Request;
  server: PeerSource;
  set: { headers: Record<string, string | number | readonly string[] | undefined> };
};

/** The first factor was right; the second is asked for at /api/user/login/2fa. */
export type SecondFactorRequired = { require_2fa: true };

/** Goes on with a user who has proven who they are by one factor: a session, or the question for the second. */
export async function enter(
  services: EntranceServices,
  call: EntranceCall,
  userId: number,
): Promise<Envelope<UserView | SecondFactorRequired>> {
  if (!(await hasTotp(services.db, userId))) return openSession(services, call, userId);
  const value = await startFlow(services, "second_factor", { userId, data: {} });
  const { request, server, set } = call;
  set.headers["set-cookie"] = flowCookie("second_factor", value, services.clientAddress.isHttps(request, server));
  return ok({ require_2fa: true });
}

/** Signs a user in who has proven everything: starts a session and answers with the user. */
export async function openSession(
  { db, sessions, clientAddress }: EntranceServices,
  { request, server, set }: EntranceCall,
  userId: number,
): Promise<Envelope<UserView>> {
  const value = await sessions.start(userId, {
    ip: clientAddress.ip(request, server),
    userAgent: request.headers.get("user-agent") ?? "",
  });
  set.headers["set-cookie"] = sessionCookie(value, clientAddress.isHttps(request, server));
  // Programs sign in without one.
  if (request.headers.has("accept-language")) await rememberLanguage(db, userId, languageOf(request));
  return ok(await viewUser(db, userId));
}
