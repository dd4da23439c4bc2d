import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { domainOf, type SsoName } from "../identity/sso-rules.ts";
import { verifyIdToken } from "../sign-in/identities/id-token.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  failedAt,
  formRequest,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "../sign-in/identities/provider.ts";
import type { ProviderRow } from "./providers.ts";

const LONGEST_GROUP_LIST = 2000;

/** An OpenID provider of a company: by discovery, with a signed id token in every sign-in. */
export function oidcProvider(row: ProviderRow, vault: Vault): OutsideProvider {
  const { issuer = "", client_id: clientId = "", scopes = "", groups_claim: groupsClaim = "" } = row.config;
  const label = row.name;
  const name: SsoName = `sso-${row.id}`;
  return {
    name,
    label,
    isEnabled: () => row.enabled,
    async authorizeAddress({ fetch }, { state, verifier, nonce, redirectUri }) {
      const { authorization } = await discover(fetch, label, issuer);
      return withParameters(authorization, {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: ["openid profile email", scopes].filter(Boolean).join(" "),
        state,
        nonce,
        code_challenge: challengeOf(verifier),
        code_challenge_method: "S256",
      });
    },
    async identify({ fetch }, handshake, code) {
      const endpoints = await discover(fetch, label, issuer);
      const secret = vault.decrypt(row.secretCipher);
      const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")}`;
      const answer = await askService(
        fetch,
        label,
        endpoints.token,
        formRequest(
          {
            grant_type: "authorization_code",
            ...(!endpoints.takesBasicOnly && { client_id: clientId, ...(secret && { client_secret: secret }) }),
            code,
            redirect_uri: handshake.redirectUri,
            code_verifier: handshake.verifier,
          },
          endpoints.takesBasicOnly ? { authorization: basic } : {},
        ),
      );
      const expected = { label, keys: endpoints.keys, issuer, audience: clientId, nonce: handshake.nonce };
      const proven = await verifyIdToken(fetch, expected, answer.id_token);
      const reported = endpoints.userInfo
        ? await askService(fetch, label, endpoints.userInfo, bearer(accessTokenOf(answer, label)))
        : {};
      if (endpoints.userInfo && reported.sub !== proven.sub)
        throw failedAt(label, "userinfo and id token name different subjects");
      const claims: Readonly<Record<string, unknown>> = { ...reported, ...proven };
      return {
        subject: subjectOf(claims.sub, label),
        groups: groupsClaim === "" ? [] : groupsOf(claims[groupsClaim]),
        ...(row.config.sign_out === "true" && typeof answer.id_token === "string" && { idToken: answer.id_token }),
        ...texts({
          username: claims.preferred_username,
          displayName: claims.name,
          email: verifiedEmail(row, proven) ?? verifiedEmail(row, reported),
        }),
      };
    },
  };
}

/** The names in a claim that is a list of texts, or one text. */
const groupsOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim])
    .filter((group): group is string => typeof group === "string" && group !== "")
    .slice(0, LONGEST_GROUP_LIST);

/**
 * The address in one set of claims, if they say that it is verified; some providers say so as text. An address without a word
 * about it counts where the provider is trusted with its own domains.
 */
function verifiedEmail(
  { config, domains }: Pick<ProviderRow, "config" | "domains">,
  { email, email_verified: verified }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof email !== "string") return undefined;
  const isTrusted = config.trust_email === "true" && verified === undefined && domains.includes(domainOf(email));
  return verified === true || verified === "true" || isTrusted ? email : undefined;
}

/** What an OpenID provider says of itself (OpenID Connect Discovery 1.0, section 3). */
type Discovery = Readonly<{
  issuer: string;
  authorization: string;
  token: string;
  userInfo: string;
  keys: string;
  /** Where a browser ends its session; "": nowhere. */
  endSession: string;
  /** The secret goes into a header, as the provider does not take it in the form. */
  takesBasicOnly: boolean;
}>;

/** Where an issuer publishes its discovery document (section 4). */
export const discoveryAddress = (issuer: string): string =>
  `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

/**
 * Reads the discovery document of an issuer. The document must name the same issuer (section 4.3), else somebody could have
 * another provider's tokens accepted. Throws OperationError.
 */
export async function discover(fetch: SafeFetch, label: string, issuer: string): Promise<Discovery> {
  const document = await askService(fetch, label, discoveryAddress(issuer));
  const text = (name: string): string => {
    const value = document[name];
    return typeof value === "string" ? value : "";
  };
  const address = (name: string): string => (/^https?:\/\//i.test(text(name)) ? text(name) : "");
  const found = {
    issuer: text("issuer"),
    authorization: address("authorization_endpoint"),
    token: address("token_endpoint"),
    userInfo: address("userinfo_endpoint"),
    keys: address("jwks_uri"),
    endSession: address("end_session_endpoint"),
    takesBasicOnly: takesBasicOnly(document.token_endpoint_auth_methods_supported),
  };
  if (found.issuer !== issuer) throw new OperationError("sso_issuer_differs", { issuer: found.issuer.slice(0, 200) });
  if (!found.authorization || !found.token || !found.keys) {
    throw new OperationError("oauth_incomplete", { service: label });
  }
  return found;
}

/** A provider that says nothing takes `client_secret_basic` (section 3), and all that are known the form too. */
const takesBasicOnly = (methods: unknown): boolean =>
  Array.isArray(methods) && methods.includes("client_secret_basic") && !methods.includes("client_secret_post");
