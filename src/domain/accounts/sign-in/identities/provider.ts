import { OperationError } from "../../../../lib/operation-error.ts";
import type { SafeFetch, SafeRequest } from "../../../../lib/outbound/safe-fetch.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { SignInAddresses } from "../../../../server/config.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { SsoName } from "../../identity/sso-rules.ts";

/** Services with accounts that people can bind here; the names are those of the table of identities. */
export type OutsideName = "github" | "oidc" | "linuxdo" | "discord" | "wechat" | "telegram" | "ldap";

export type ProviderName = OutsideName | SsoName;

/** Who somebody is at another service. */
export type OutsideIdentity = Readonly<{
  /** What the service never gives to anybody else; names and addresses are not. */
  subject: string;
  /** What a new account may be called. */
  username?: string;
  displayName?: string;
  /** Only when the service has verified it. */
  email?: string;
  /** Groups at the company that the person belongs to. */
  groups?: readonly string[];
  /** The provider's own proof, where a sign-out ends its session too. */
  idToken?: string;
}>;

export type OutsideDeps = Readonly<{
  settings: SettingsReader;
  fetch: SafeFetch;
  addresses: SignInAddresses;
}>;

/** What the start of a sign-in and its end share. */
export type Handshake = Readonly<{
  state: string;
  /** PKCE; "" when the browser builds the address by itself and did not ask for a challenge. */
  verifier: string;
  /** "" when the browser built the address by itself. */
  nonce: string;
  redirectUri: string;
}>;

/** A service to sign in with by OAuth 2: the browser goes there and comes back with a code. */
export type OutsideProvider = Readonly<{
  name: ProviderName;
  /** As people know it. */
  label: string;
  isEnabled(settings: SettingsReader): boolean;
  /** Where the browser goes. Throws OperationError when the set-up is incomplete. */
  authorizeAddress(deps: OutsideDeps, handshake: Handshake): Promise<string>;
  /** Trades the code for the identity. Throws OperationError. */
  identify(deps: OutsideDeps, handshake: Handshake, code: string): Promise<OutsideIdentity>;
}>;

const TIMEOUT_MS = 5000;
const LARGEST_ANSWER = 512 * 1024;

/** Asks a service for JSON. Throws OperationError when it does not answer with an object and success. */
export async function askService(
  fetch: SafeFetch,
  service: string,
  address: string,
  request: SafeRequest = {},
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(address, {
    timeoutMs: TIMEOUT_MS,
    maxBytes: LARGEST_ANSWER,
    ...request,
    headers: { accept: "application/json", "user-agent": "sluice", ...request.headers },
  }).catch((error: unknown) => {
    throw new OperationError(
      "oauth_unreachable",
      { service },
      { logReason: `${placeOf(address)}: ${messageOf(error)}` },
    );
  });
  const body = jsonObjectOf(answer.text());
  if (answer.status >= 200 && answer.status <= 299 && body) return body;
  // RFC 6749, 5.2: what is wrong, without a secret.
  const { error = "", error_description: detail = "" } = body ?? {};
  const answered = [error, detail].filter((part) => typeof part === "string" && part !== "").join(", ");
  throw failedAt(service, `${placeOf(address)}: status ${answer.status} ${answered || (body ? "" : "without JSON")}`);
}

/** What people read when a sign-in fails at a service, with the reason for the log. */
export const failedAt = (service: string, reason: string): OperationError =>
  new OperationError("oauth_failed", { service }, { logReason: reason.trim().slice(0, LONGEST_REASON) });

const LONGEST_REASON = 300;

/** An address without its query, which may hold a secret. */
const placeOf = (address: string): string => address.split("?")[0] ?? "";

function jsonObjectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(text);
    return body && typeof body === "object" ? (body as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** A form to post. */
export const formRequest = (fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  body: new URLSearchParams(fields).toString(),
  maxRedirects: 0,
});

/** The access token of a token answer. Throws OperationError without one. */
export function accessTokenOf(answer: Readonly<Record<string, unknown>>, service: string): string {
  const token = answer.access_token;
  if (typeof token !== "string" || token === "") throw failedAt(service, "the answer has no access token");
  return token;
}

/** An id, of text or number, as text. Throws OperationError when there is none. */
export function subjectOf(value: unknown, service: string): string {
  const isId =
    (typeof value === "string" && value !== "") || (typeof value === "number" && Number.isSafeInteger(value));
  const subject = isId ? String(value) : "";
  if (subject === "" || subject === "0" || subject.length > 255) throw failedAt(service, "there is no usable subject");
  return subject;
}

/** Request options that send an access token (RFC 6750). */
export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** The fields that are text and not empty. */
export const texts = <Key extends string>(fields: Readonly<Record<Key, unknown>>): Partial<Record<Key, string>> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === "string" && value !== ""),
  ) as Partial<Record<Key, string>>;

/** The S256 challenge of a PKCE verifier (RFC 7636). */
export const challengeOf = (verifier: string): string =>
  new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");

/** An address with parameters; empty ones are left away. */
export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== "") url.searchParams.set(name, value);
  return url.href;
}
