import { importPKCS8, SignJWT } from "jose";
import { parseJson, recordOf, textOf } from "../../dialects/json.ts";
import type { SigningTools } from "../provider.ts";

export type ServiceAccount = Readonly<{
  projectId: string;
  clientEmail: string;
  privateKey: string;
  privateKeyId: string;
  tokenUri: string;
}>;

/** The service account in a channel's key; null when it is none (an express-mode API key). */
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
/** A token is renewed when it has less than this left. */
const SPARE_SECONDS = 300;
const MAX_TOKENS = 1000;

type Token = { text: string; expiresAt: number };
const tokens = new Map<string, Promise<Token>>();

/**
 * A short-lived access token for a service account, by a signed assertion (RFC 7523); kept until shortly before its end and
 * asked for once however many calls want it. Rejects with what Google answered.
 */
export async function accessToken(account: ServiceAccount, tools: SigningTools): Promise<string> {
  const name = `${account.clientEmail}\n${account.privateKeyId}\n${account.tokenUri}`;
  const known = await tokens.get(name)?.catch(() => null);
  if (known && known.expiresAt - SPARE_SECONDS > tools.nowSeconds()) return known.text;
  if (tokens.size >= MAX_TOKENS) tokens.clear();
  const asked = askToken(account, tools);
  tokens.set(name, asked);
  asked.catch(() => tokens.delete(name));
  return (await asked).text;
}

async function askToken(account: ServiceAccount, { post, nowSeconds }: SigningTools): Promise<Token> {
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
  return { text: token, expiresAt: now + (typeof answer?.expires_in === "number" ? answer.expires_in : LIFE_SECONDS) };
}
