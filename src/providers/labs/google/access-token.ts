import { importPKCS8, SignJWT } from "jose";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import type { SigningTools } from "../../contract/provider.ts";
import { createTokenCache } from "../../shared/token-cache.ts";

export type ServiceAccount = Readonly<{
  projectId: string;
  clientEmail: string;
  privateKey: string;
  privateKeyId: string;
  tokenUri: string;
}>;

/** The service account in a channel's key; null for an express-mode API key. */
export function serviceAccountOf(key: string): ServiceAccount | null {
  const json = recordOf(parseJson(key));
  const privateKey = textOf(json?.private_key);
  if (!json || privateKey === null) return null;
  return {
    projectId: textOf(json.project_id) ?? "",
    clientEmail: textOf(json.client_email) ?? "",
    privateKey: privateKey.replaceAll("\\n", "\n"),
    privateKeyId: textOf(json.private_key_id) ?? "",
    tokenUri: textOf(json.token_uri) ?? "https://oauth2.googleapis.com/token",
  };
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFE_SECONDS = 3600;
/** Renew a token that expires within this time. */
const RENEW_BEFORE_SECONDS = 300;

const tokens = createTokenCache(RENEW_BEFORE_SECONDS);

const nameOf = ({ clientEmail, privateKeyId, tokenUri }: ServiceAccount): string =>
  `${clientEmail}\n${privateKeyId}\n${tokenUri}`;

/**
 * A short-lived access token of a service account, requested with a signed assertion (RFC 7523). It is cached until
 * shortly before its end, and concurrent calls share one request. Rejects with Google's error.
 */
export const accessToken = (account: ServiceAccount, tools: SigningTools): Promise<string> =>
  tokens.get(nameOf(account), () => askToken(account, tools));

/** Removes the account's token from the cache. Returns whether a new one may help. */
export const forgetAccessToken = (account: ServiceAccount): boolean => tokens.forget(nameOf(account));

async function askToken(account: ServiceAccount, { post, nowSeconds }: SigningTools) {
  const now = nowSeconds();
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: account.privateKeyId })
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFE_SECONDS)
    .sign(await importPKCS8(account.privateKey, "RS256"));
  const form = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
  const { status, text } = await post(
    account.tokenUri,
    { "content-type": "application/x-www-form-urlencoded" },
    form.toString(),
  );
  const answer = recordOf(parseJson(text));
  const token = textOf(answer?.access_token);
  if (status !== 200 || token === null) {
    throw new Error(
      `no access token (HTTP ${status}): ${textOf(answer?.error_description) ?? textOf(answer?.error) ?? "no reason given"}`,
    );
  }
  return { text: token, lifeSeconds: typeof answer?.expires_in === "number" ? answer.expires_in : LIFE_SECONDS };
}
