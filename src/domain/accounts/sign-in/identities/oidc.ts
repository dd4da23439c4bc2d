import { OperationError } from "../../../../lib/operation-error.ts";
import { verifyIdToken } from "./id-token.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  failedAt,
  formRequest,
  type OutsideDeps,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "./provider.ts";

const LABEL = "OIDC";

type Endpoints = Readonly<{
  authorization: string;
  token: string;
  userInfo: string;
  /** Both "" without a discovery document: then the answer of the user-info endpoint, over TLS, is what counts. */
  issuer: string;
  keys: string;
}>;

/** Any OpenID provider, by its discovery document or by addresses that were typed in, which win. */
export const oidc: OutsideProvider = {
  name: "oidc",
  label: LABEL,
  isEnabled: (settings) => settings.get("oidc.enabled"),
  async authorizeAddress(deps, { state, verifier, nonce, redirectUri }) {
    const { authorization } = await endpointsOf(deps);
    return withParameters(authorization, {
      response_type: "code",
      client_id: deps.settings.get("oidc.client_id"),
      redirect_uri: redirectUri,
      scope: "openid profile email",
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    });
  },
  async identify(deps, handshake, code) {
    const { settings, fetch } = deps;
    const endpoints = await endpointsOf(deps);
    const answer = await askService(
      fetch,
      LABEL,
      endpoints.token,
      formRequest({
        grant_type: "authorization_code",
        client_id: settings.get("oidc.client_id"),
        client_secret: settings.get("oidc.client_secret"),
        code,
        redirect_uri: handshake.redirectUri,
        ...(handshake.verifier && { code_verifier: handshake.verifier }),
      }),
    );
    const { keys, issuer } = endpoints;
    const expected = { label: LABEL, keys, issuer, audience: settings.get("oidc.client_id"), nonce: handshake.nonce };
    const isSigned = keys !== "" && issuer !== "";
    const proven = isSigned ? await verifyIdToken(fetch, expected, answer.id_token) : null;
    const reported = endpoints.userInfo
      ? await askService(fetch, LABEL, endpoints.userInfo, bearer(accessTokenOf(answer, LABEL)))
      : {};
    if (proven && endpoints.userInfo && reported.sub !== proven.sub)
      throw failedAt(LABEL, "userinfo and id token name different subjects");
    const claims: Readonly<Record<string, unknown>> = { ...proven, ...reported };
    return {
      subject: subjectOf(claims.sub, LABEL),
      ...texts({
        username: claims.preferred_username,
        displayName: claims.name,
        email: claims.email_verified === true ? claims.email : undefined,
      }),
    };
  },
};

async function endpointsOf({ settings, fetch }: OutsideDeps): Promise<Endpoints> {
  const wellKnown = settings.get("oidc.well_known");
  const document = wellKnown ? await askService(fetch, LABEL, wellKnown) : {};
  const pick = (typed: string, name: string): string => {
    const found = document[name];
    return typed || (typeof found === "string" && /^https?:\/\//i.test(found) ? found : "");
  };
  const endpoints = {
    authorization: pick(settings.get("oidc.authorization_endpoint"), "authorization_endpoint"),
    token: pick(settings.get("oidc.token_endpoint"), "token_endpoint"),
    userInfo: pick(settings.get("oidc.user_info_endpoint"), "userinfo_endpoint"),
    issuer: pick("", "issuer"),
    keys: pick("", "jwks_uri"),
  };
  const canIdentify = endpoints.userInfo !== "" || endpoints.keys !== "";
  if (!endpoints.authorization || !endpoints.token || !canIdentify) {
    throw new OperationError("oauth_incomplete", { service: LABEL });
  }
  return endpoints;
}
