import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { accessTokenForm, type ServiceAccount, TOKEN_LIFE_SECONDS } from "../../../lib/security/service-account.ts";
import { createTokenCache } from "../../../lib/security/token-cache.ts";
import type { SigningTools } from "../../contract/provider.ts";

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
  const { status, text } = await post(
    account.tokenUri,
    { "content-type": "application/x-www-form-urlencoded" },
    await accessTokenForm(account, nowSeconds()),
  );
  const answer = recordOf(parseJson(text));
  const token = textOf(answer?.access_token);
  if (status !== 200 || token === null) {
    throw new Error(
      `no access token (HTTP ${status}): ${textOf(answer?.error_description) ?? textOf(answer?.error) ?? "no reason given"}`,
    );
  }
  return { text: token, lifeSeconds: typeof answer?.expires_in === "number" ? answer.expires_in : TOKEN_LIFE_SECONDS };
}
