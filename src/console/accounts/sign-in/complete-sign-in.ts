import type { Db } from "../../../../db/types.ts";
import { requireWay } from "../../../domain/accounts/identity-providers/require-way.ts";
import { rememberLanguage } from "../../../domain/accounts/profile/update-profile.ts";
import { hasTotp } from "../../../domain/accounts/security/totp.ts";
import { flowCookie, startFlow } from "../../../domain/accounts/sign-in/flows.ts";
import type { ProviderName } from "../../../domain/accounts/sign-in/identities/provider.ts";
import {
  type Sessions,
  type SignInWay,
  sessionCookie,
  sessionCookieOf,
} from "../../../domain/accounts/sign-in/sessions.ts";
import {
  deviceCookie,
  deviceCookieOf,
  rememberOrigin,
  type SignInOrigin,
} from "../../../domain/accounts/sign-in/sign-in-origins.ts";
import { type UserView, viewUser } from "../../../domain/accounts/users/user-view.ts";
import { type ClientAddress, limitKeyOf, type PeerSource } from "../../../lib/http/client-ip.ts";
import { languageOf } from "../../../lib/messages.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { type Envelope, ok } from "../../http/envelope.ts";

export type EntranceServices = Readonly<{ db: Db; vault: Vault; sessions: Sessions; clientAddress: ClientAddress }>;

/** A request that may sign a user in. */
export type EntranceCall = {
  request: Request;
  server: PeerSource;
  set: { headers: Record<string, string | number | readonly string[] | undefined> };
};

/** The first factor was correct; /api/user/login/2fa takes the second. */
type SecondFactorRequired = { require_2fa: true };

/**
 * Continues after the first factor: starts a session, or asks for the second factor. `way`: the provider that it came from;
 * null: none; `idToken`: its proof, where a sign-out ends its session too. Throws OperationError when the user has to sign in
 * by another way.
 */
export async function enter(
  services: EntranceServices,
  call: EntranceCall,
  userId: number,
  way: ProviderName | null,
  idToken = "",
): Promise<Envelope<UserView | SecondFactorRequired>> {
  await requireWay(services.db, userId, way);
  const from = { provider: way ?? "", signOutHint: idToken === "" ? "" : services.vault.encrypt(idToken) };
  if (!(await hasTotp(services.db, userId))) return openSession(services, call, userId, from);
  const value = await startFlow(services, "second_factor", { userId, data: from });
  const { request, server, set } = call;
  set.headers["set-cookie"] = flowCookie("second_factor", value, services.clientAddress.isHttps(request, server));
  return ok({ require_2fa: true });
}

/**
 * Signs in a fully authenticated user: starts a session and responds with the user. The session that this browser had, of
 * whichever user, ends: nobody holds its cookie any more who should.
 */
export async function openSession(
  { db, sessions, clientAddress }: EntranceServices,
  { request, server, set }: EntranceCall,
  userId: number,
  from: SignInWay = { provider: "", signOutHint: "" },
): Promise<Envelope<UserView>> {
  const value = await sessions.start(userId, {
    ...from,
    ip: clientAddress.ip(request, server),
    userAgent: request.headers.get("user-agent") ?? "",
  });
  const formerValue = sessionCookieOf(request);
  const former = formerValue === null ? null : await sessions.find(formerValue);
  if (former) await sessions.end(former);
  const isHttps = clientAddress.isHttps(request, server);
  const device = await rememberOrigin(db, userId, originOf(clientAddress, { request, server }));
  set.headers["set-cookie"] = [...sessionCookie(value, isHttps), ...deviceCookie(userId, device, isHttps)];
  // Programs may sign in without a User-Agent.
  if (request.headers.has("accept-language")) await rememberLanguage(db, userId, languageOf(request));
  return ok(await viewUser(db, userId));
}

/** Where a request to sign in comes from. */
export const originOf = (
  clientAddress: ClientAddress,
  { request, server }: Pick<EntranceCall, "request" | "server">,
): SignInOrigin => ({
  address: limitKeyOf(clientAddress.ip(request, server)),
  deviceOf: (userId) => deviceCookieOf(request, userId),
});
