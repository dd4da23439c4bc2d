import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import { sessionCaller, sessionUser } from "../../../domain/accounts/authenticate.ts";
import type { UserDirectory, UserEntry } from "../../../domain/accounts/directory.ts";
import {
  findProviderRow,
  listOffered,
  openProvider,
} from "../../../domain/accounts/identity-providers/find-provider.ts";
import type { ProviderRow } from "../../../domain/accounts/identity-providers/providers.ts";
import { signInBySso } from "../../../domain/accounts/identity-providers/sign-in-by-sso.ts";
import { requireFresh } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import { flowCookie, flowCookieOf, startFlow, takeFlow } from "../../../domain/accounts/sign-in/flows.ts";
import { bindIdentity } from "../../../domain/accounts/sign-in/identities/bind-identity.ts";
import { findProvider } from "../../../domain/accounts/sign-in/identities/oauth-providers.ts";
import {
  challengeOf,
  failedAt,
  type Handshake,
  type OutsideDeps,
  type OutsideProvider,
} from "../../../domain/accounts/sign-in/identities/provider.ts";
import { signInByIdentity } from "../../../domain/accounts/sign-in/identities/sign-in-by-identity.ts";
import { say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { randomText, type Vault } from "../../../lib/security/crypto.ts";
import type { SignInAddresses } from "../../../server/config.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { done, ok } from "../../http/envelope.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { type EntranceCall, type EntranceServices, enter } from "./complete-sign-in.ts";

export type OAuthServices = EntranceServices &
  Readonly<{
    changes: Changes;
    vault: Vault;
    settings: SettingsReader;
    users: UserDirectory;
    fetch: SafeFetch;
    signInAddresses: SignInAddresses;
    log: Logger;
  }>;

const SECRET_BYTES = 32;
const text = t.Optional(t.String({ maxLength: 4096 }));
const startQuery = t.Object({ aff: t.Optional(t.String({ maxLength: 64 })) });
const callbackQuery = t.Object({ code: text, state: text, error: text, error_description: text });
const stateQuery = t.Object({ ...startQuery.properties, code_challenge_method: t.Optional(t.Literal("S256")) });

/**
 * Signs in through another service, or binds an account there. The browser gets a state that works once, expires soon,
 * and is bound to the browser by a cookie, to the service, and to the signed-in user if there is one.
 */
export function oauthRoutes(services: OAuthServices, limits: ReturnType<typeof rateLimit>) {
  const { settings, fetch, signInAddresses, clientAddress, log } = services;
  const deps: OutsideDeps = { settings, fetch, addresses: signInAddresses };

  /** Starts a flow; `provider` is "" when the browser builds the address itself and any service may respond. */
  const start = async (
    call: EntranceCall,
    provider: string,
    secrets: Pick<Handshake, "verifier" | "nonce">,
    aff = "",
  ) => {
    const { request, server, set } = call;
    const user = await requireFreshCaller(services, request);
    const handshake = { ...secrets, state: randomText(SECRET_BYTES), redirectUri: requireServerAddress(settings) };
    const data = { ...handshake, provider, aff };
    const value = await startFlow(services, "oauth", { userId: user?.id ?? null, data });
    set.headers["set-cookie"] = flowCookie("oauth", value, clientAddress.isHttps(request, server));
    return handshake;
  };
  /** Ends a flow: signs in by the identity that the service's answer proves, or binds it. Throws OperationError. */
  const complete = async (
    call: EntranceCall,
    { provider, row }: EnabledProvider,
    query: typeof callbackQuery.static,
  ) => {
    const { request } = call;
    const flow = await takeFlow(services, "oauth", flowCookieOf(request, "oauth"), query.state ?? "");
    // A flow that names no provider has neither nonce nor challenge, so company's providers don't take it.
    const isOurs = flow && (flow.data.provider === provider.name || (flow.data.provider === "" && !row));
    const user = await sessionUser(services, request);
    // The user who started the flow must complete it, or an attacker could bind their account to somebody else's.
    if (!isOurs || (flow.userId !== null && flow.userId !== user?.id)) {
      throw new OperationError("oauth_state_wrong", {}, { status: 403 });
    }
    if (query.error !== undefined) {
      const detail = (query.error_description || query.error).slice(0, 300);
      throw new OperationError("oauth_refused", { service: provider.label, detail });
    }
    if (!query.code) throw failedAt(provider.label, "the answer has no code");
    const { state = "", verifier = "", nonce = "", redirectUri = "", aff = "" } = flow.data;
    const handshake = atCallback({ state, verifier, nonce, redirectUri }, provider);
    const identity = await provider.identify(deps, handshake, query.code);
    if (flow.userId !== null) {
      await bindIdentity(services, flow.userId, provider, identity.subject);
      return done(request, "bound");
    }
    const userId = row
      ? await signInBySso(services, row, identity, aff)
      : await signInByIdentity(services, provider.name, identity, aff);
    return enter(services, call, userId, provider.name, identity.idToken);
  };
  return new Elysia({ prefix: "/api/oauth", name: "console/oauth" })
    .use(limits)
    .get(
      "/state",
      async ({ request, server, set, query }) => {
        const method = query.code_challenge_method;
        // Only for clients that forward the challenge: services reject a verifier without one.
        const verifier = method ? randomText(SECRET_BYTES) : "";
        const { state } = await start({ request, server, set }, "", { verifier, nonce: "" }, query.aff);
        return {
          ...ok(state),
          ...(method && { code_challenge: challengeOf(verifier), code_challenge_method: method }),
        };
      },
      { critical: true, query: stateQuery },
    )
    .get("/providers", async () => ok(await listOffered(services.db)))
    .get(
      "/:provider/start",
      async ({ request, server, set, params, query }) => {
        const { provider } = await enabledProvider(services, params.provider);
        const secrets = { verifier: randomText(SECRET_BYTES), nonce: randomText(SECRET_BYTES) };
        const handshake = await start({ request, server, set }, provider.name, secrets, query.aff);
        return ok({ url: await provider.authorizeAddress(deps, atCallback(handshake, provider)) });
      },
      { critical: true, query: startQuery },
    )
    .get(
      "/:provider",
      async ({ request, server, set, params, query }) => {
        const found = await enabledProvider(services, params.provider);
        try {
          return await complete({ request, server, set }, found, query);
        } catch (error) {
          // What a SAML response lacked stands in the log already.
          const isKnown = found.row?.type === "saml" && query.error !== undefined;
          if (error instanceof OperationError && !isKnown) {
            const { code, logReason: reason = say(code, "en", error.params) } = error;
            log.warn({ provider: found.provider.name, code, reason }, "a sign-in was refused");
          }
          throw error;
        }
      },
      {
        critical: true,
        query: callbackQuery,
      },
    );
}

/**
 * The signed-in user, who binds an account; null when nobody is signed in, so that the flow signs in. Throws
 * OperationError when the session is not recent: a binding would give whoever stole the session permanent access.
 */
export async function requireFreshCaller(
  services: Pick<OAuthServices, "users" | "sessions">,
  request: Request,
): Promise<UserEntry | null> {
  const caller = await sessionCaller(services, request);
  if (!caller) return null;
  requireFresh(caller.session);
  return caller.actor;
}

type EnabledProvider = Readonly<{ provider: OutsideProvider; row: ProviderRow | null }>;

/** The provider of this name, with its row when it is a company's. Throws OperationError when there is none, or it is off. */
async function enabledProvider(
  { db, vault, settings }: Pick<OAuthServices, "db" | "vault" | "settings">,
  name: string,
): Promise<EnabledProvider> {
  const row = await findProviderRow(db, name);
  const provider = row ? openProvider(row, { db, vault }) : findProvider(name);
  if (!provider)
    throw new OperationError(
      "unknown_route",
      { method: "GET", path: `/api/oauth/${name.slice(0, 40)}` },
      { status: 404 },
    );
  if (!provider.isEnabled(settings)) throw new OperationError("oauth_disabled", { service: provider.label });
  return { provider, row };
}

/** Where the service redirects the browser to: a page of the console. */
const atCallback = (handshake: Handshake, { name }: OutsideProvider): Handshake => ({
  ...handshake,
  redirectUri: `${handshake.redirectUri}/oauth/${name}`,
});
