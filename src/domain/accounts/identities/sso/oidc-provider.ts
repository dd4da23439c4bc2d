import { OperationError } from "../../../../lib/operation-error.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  formRequest,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "../provider.ts";
import { verifyIdToken } from "./id-token.ts";
import { discover } from "./oidc-issuer.ts";
import type { ProviderRow } from "./providers.ts";
import { domainOf, type SsoName } from "./sso-rules.ts";

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
        throw new OperationError("oauth_failed", { service: label });
      const claims: Readonly<Record<string, unknown>> = { ...reported, ...proven };
      return {
        subject: subjectOf(claims.sub, label),
        groups: groupsClaim === "" ? [] : groupsOf(claims[groupsClaim]),
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
