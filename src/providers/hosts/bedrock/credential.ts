import { AwsV4Signer } from "aws4fetch";
import type { ProviderChannel, Signable } from "../../contract/provider.ts";

type Credential =
  | { kind: "keys"; accessKeyId: string; secretAccessKey: string; region: string; sessionToken: string | undefined }
  | { kind: "bearer"; apiKey: string; region: string };

const DEFAULT_REGION = "us-east-1";

/** `ak|sk|region`, with a session token behind it if need be; or `apiKey|region`. */
export function credentialOf(key: string): Credential {
  const [first = "", second = "", third, sessionToken] = key.split("|").map((part) => part.trim());
  return third === undefined
    ? { kind: "bearer", apiKey: first, region: second || DEFAULT_REGION }
    : { kind: "keys", accessKeyId: first, secretAccessKey: second, region: third || DEFAULT_REGION, sessionToken };
}

/** The header of an API key; none for keys that sign. */
export function bearerHeader(key: string): Record<string, string> {
  const credential = credentialOf(key);
  return credential.kind === "bearer" ? { authorization: `Bearer ${credential.apiKey}` } : {};
}

/** Signs with AWS Signature Version 4; nothing where the key is an API key. */
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

/** Where Bedrock serves models in the region, unless the channel has an address of its own. */
export const hostOf = ({ baseUrl }: ProviderChannel, region: string): string =>
  baseUrl.replace(/\/+$/, "") ||
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
