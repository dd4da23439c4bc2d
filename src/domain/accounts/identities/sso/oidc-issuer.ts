import { OperationError } from "../../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { askService } from "../provider.ts";

/** What an OpenID provider says of itself (OpenID Connect Discovery 1.0, section 3). */
export type Discovery = Readonly<{
  issuer: string;
  authorization: string;
  token: string;
  userInfo: string;
  keys: string;
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
