import { AwsV4Signer } from "aws4fetch";
import type { SafeFetch } from "../../outbound/safe-fetch.ts";
import { type ReadSecret, refusedBy, requestManager, required } from "./manager.ts";

export type AwsOptions = Readonly<{
  region: string | null;
  accessKeyId: string | null;
  secretAccessKey: string | null;
  sessionToken: string | null;
  endpoint: string | null;
}>;

const SERVICE = "secretsmanager";
/** The region stands in the fourth place of an ARN. */
const REGION_OF_ARN = /^arn:[^:]+:secretsmanager:([a-z0-9-]+):/;

/**
 * Reads secrets of AWS Secrets Manager, by name or ARN.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export function createAwsReader(options: AwsOptions, fetch: SafeFetch): ReadSecret {
  return async (reference) => {
    const { path } = reference;
    const region = required(reference, "AWS_REGION", REGION_OF_ARN.exec(path)?.[1] ?? options.region);
    const { sessionToken } = options;
    const suffix = region.startsWith("cn-") ? ".cn" : "";
    const signed = await new AwsV4Signer({
      method: "POST",
      url: `${options.endpoint ?? `https://${SERVICE}.${region}.amazonaws.com${suffix}`}/`,
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": `${SERVICE}.GetSecretValue` },
      body: JSON.stringify({ SecretId: path }),
      accessKeyId: required(reference, "AWS_ACCESS_KEY_ID", options.accessKeyId),
      secretAccessKey: required(reference, "AWS_SECRET_ACCESS_KEY", options.secretAccessKey),
      region,
      service: SERVICE,
      ...(sessionToken !== null && { sessionToken }),
    }).sign();
    const { status, body } = await requestManager(fetch, reference, signed.url.href, {
      method: "POST",
      headers: Object.fromEntries(signed.headers.entries()),
      body: JSON.stringify({ SecretId: path }),
    });
    if (status === 200 && typeof body.SecretString === "string") return body.SecretString;
    if (status === 200 && typeof body.SecretBinary === "string")
      return Buffer.from(body.SecretBinary, "base64").toString();
    const kind = typeof body.__type === "string" ? body.__type.split("#").at(-1) : "";
    throw refusedBy(
      "AWS Secrets Manager",
      reference,
      status,
      [kind, body.message ?? body.Message].filter(Boolean).join(": "),
    );
  };
}
