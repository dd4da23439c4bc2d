import { AwsV4Signer } from "aws4fetch";
import type { ProviderChannel, Signable } from "../../contract/provider.ts";

type Credential =
  | { kind: "keys"; accessKeyId: string; secretAccessKey: string; region: string; sessionToken: string | undefined }
  | { kind: "bearer"; apiKey: string; region: string };

const DEFAULT_REGION = "us-east-1";

/** `ak|sk|region`, optionally followed by a session token; or `apiKey|region`. */
export function credentialOf(key: string): Credential {
  const [first = "", second = "", third, sessionToken] = key.split("|").map((part) => part.trim());
  return third === undefined
    ? { kind: "bearer", apiKey: first, region: second || DEFAULT_REGION }
    : { kind: "keys", accessKeyId: first, secretAccessKey: second, region: third || DEFAULT_REGION, sessionToken };
}

/** The header of an API key; empty for keys that sign. */
export function bearerHeader(key: string): Record<string, string> {
  const credential = credentialOf(key);
  return credential.kind === "bearer" ? { authorization: `Bearer ${credential.apiKey}` } : {};
}

/** Signs with AWS Signature Version 4; no changes for an API key. */
export async function signForAws({ url, headers, body }: Signable, key: string): Promise<Partial<Signable>> {
  const credential = credentialOf(key);
  if (credential.kind === "bearer") return {};
  const { region, accessKeyId, secretAccessKey, sessionToken } = credential;
  const signer = new AwsV4Signer({
    method: "POST",
    url,
    headers: { "content-type": headers["content-type"] ?? "application/json" },
    body,
    accessKeyId,
    secretAccessKey,
    region,
    service: "bedrock",
    ...(sessionToken && { sessionToken }),
  });
  const signed = await signer.sign();
  return { headers: Object.fromEntries(signed.headers.entries()) };
}

/** Bedrock's host in the region, unless the channel has a base URL. */
export const hostOf = ({ baseUrl }: ProviderChannel, region: string): string =>
  baseUrl.replace(/\/+$/, "") ||
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
