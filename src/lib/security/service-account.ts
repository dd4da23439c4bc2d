import { importPKCS8, SignJWT } from "jose";
import { objectIn } from "./secret-references/reference.ts";

/** A service account of Google Cloud. */
export type ServiceAccount = Readonly<{
  projectId: string;
  clientEmail: string;
  privateKey: string;
  privateKeyId: string;
  tokenUri: string;
}>;

/** The service account that the JSON of a key file describes; null: it describes none. */
export function serviceAccountOf(keyFile: string): ServiceAccount | null {
  const json = objectIn(keyFile);
  const textOf = (name: string): string | null => {
    const value = json?.[name];
    return typeof value === "string" ? value : null;
  };
  const privateKey = textOf("private_key");
  if (privateKey === null) return null;
  return {
    projectId: textOf("project_id") ?? "",
    clientEmail: textOf("client_email") ?? "",
    privateKey: privateKey.replaceAll("\\n", "\n"),
    privateKeyId: textOf("private_key_id") ?? "",
    tokenUri: textOf("token_uri") ?? "https://oauth2.googleapis.com/token",
  };
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** What an access token lives for, in seconds, where Google does not say otherwise. */
export const TOKEN_LIFE_SECONDS = 3600;

/**
 * The form that requests an access token from the account's `tokenUri`, with a signed assertion (RFC 7523). Rejects where the
 * private key is none.
 */
export async function accessTokenForm(account: ServiceAccount, nowSeconds: number): Promise<string> {
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: account.privateKeyId })
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + TOKEN_LIFE_SECONDS)
    .sign(await importPKCS8(account.privateKey, "RS256"));
  return new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString();
}
