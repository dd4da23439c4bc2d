import { randomBytes } from "node:crypto";

type SecretKind = "code" | "access" | "refresh";

/** By these prefixes scanners and the gateway know what a text is. No hyphen: what follows one would name a channel. */
const PREFIXES: Readonly<Record<SecretKind, string>> = {
  code: "mcp_code_",
  access: "mcp_access_",
  refresh: "mcp_refresh_",
};

/** Whether a text looks like an access token of an application. */
export const isAccessToken = (text: string): boolean => text.startsWith(PREFIXES.access);

/** How long codes, access tokens and unused refresh tokens are valid. */
export const CODE_SECONDS = 300;
export const ACCESS_SECONDS = 3_600;
export const REFRESH_SECONDS = 30 * 86_400;
/** However often it is refreshed, access ends after this time. */
export const ACCESS_ENDS_AFTER_SECONDS = 365 * 86_400;

/** A new random code or token, of 256 bits. */
export const newSecret = (kind: SecretKind): string => PREFIXES[kind] + randomBytes(32).toString("hex");

/**
 * The token that replaces a refresh token: always the same, and known only to whoever has both the replaced one and the key of the
 * vault. So a client whose response was lost, or that refreshes twice at once, gets one pair of tokens.
 */
export const successorOf = (
  vault: Readonly<{ keyedHash(text: string): string }>,
  kind: Exclude<SecretKind, "code">,
  replaced: string,
): string => PREFIXES[kind] + vault.keyedHash(`oauth successor ${kind}\n${replaced}`);
