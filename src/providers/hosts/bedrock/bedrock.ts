import type { EventStreamCodec } from "@smithy/eventstream-codec";
import { AwsV4Signer } from "aws4fetch";
import { type ModelInfo, shippedCatalog } from "../../../catalog/catalog.ts";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import type { ServiceRegions } from "../../contract/facts.ts";
import type { CallParams, ProviderChannel, Signable } from "../../contract/provider.ts";
import { bodySha256 } from "../../shared/signed-body.ts";

type Credential =
  | { kind: "keys"; accessKeyId: string; secretAccessKey: string; region: string; sessionToken: string | undefined }
  | { kind: "bearer"; apiKey: string; region: string };

const DEFAULT_REGION = "us-east-1";

/** Regions with the endpoint `bedrock-runtime`. */
export const BEDROCK_REGIONS: ServiceRegions = {
  place: "key",
  names: [
    ...["us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "sa-east-1"],
    ...[
      "eu-central-1",
      "eu-central-2",
      "eu-north-1",
      "eu-south-1",
      "eu-south-2",
      "eu-west-1",
      "eu-west-2",
      "eu-west-3",
    ],
    ...["ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2"],
    ...["ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6"],
    ...["ap-southeast-7", "af-south-1", "il-central-1", "me-central-1", "us-gov-east-1", "us-gov-west-1"],
  ],
  source: "https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints-region-availability.html",
  day: "2026-11-29",
};

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
export async function signForAws(request: Signable, key: string): Promise<Partial<Signable>> {
  const { url, headers, body, parts } = request;
  const credential = credentialOf(key);
  if (credential.kind === "bearer") return {};
  const { region, accessKeyId, secretAccessKey, sessionToken } = credential;
  const signer = new AwsV4Signer({
    method: "POST",
    url,
    headers: {
      "content-type": headers["content-type"] ?? "application/json",
      ...(parts && { "x-amz-content-sha256": await bodySha256(request) }),
    },
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

const ADDRESSES: AddressForms = {
  fallback: null,
  root: "",
  printed: [[/(\/openai)?\/v1$|\/model(\/.*)?$/, ""]],
};

/** Bedrock's host in the region, unless the channel has a base URL. */
export const hostOf = ({ baseUrl }: ProviderChannel, region: string): string =>
  resolveBase(baseUrl, ADDRESSES).api ||
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

/** Claude models whose name has a date have the same version in their Bedrock id. */
const DATED = /^claude-.*-\d{8}$/;

/**
 * Bedrock's id of a Claude model in a region, by its inference profile; names that are already ids or ARNs stay. The catalog
 * says which version and profiles a model has.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function bedrockModelId(
  { model, catalog = shippedCatalog }: Pick<CallParams, "model" | "catalog">,
  region: string,
): string {
  if (!model.startsWith("claude-")) return model;
  const info = catalog.find(model);
  const version = DATED.test(model) ? "v1:0" : info.bedrock_version;
  const profile = profileOf(info, region);
  return `${profile ? `${profile}.` : ""}anthropic.${model}${version ? `-${version}` : ""}`;
}

/** The inference profile for a region, the most local first; null if the model is in the region itself, or nowhere. */
function profileOf({ bedrock_profiles }: ModelInfo, region: string): string | null {
  const has = (profile: string) => bedrock_profiles?.includes(profile) ?? false;
  if (region.startsWith("us-gov-")) return "us-gov";
  // Canada's regions use the profile of the United States.
  if (/^(us|ca)-/.test(region)) return "us";
  if (region.startsWith("eu-")) return "eu";
  if (/^ap-northeast-[13]$/.test(region) && has("jp")) return "jp";
  if (/^ap-southeast-[24]$/.test(region) && has("au")) return "au";
  if (has("global") && !region.startsWith("cn-")) return "global";
  return region.startsWith("ap-") ? "apac" : null;
}

/**
 * The model of an inference profile, because CountTokens accepts no profiles
 * (https://github.com/pydantic/pydantic-ai/issues/4001); ARNs stay.
 */
export const foundationModelId = (id: string): string => id.replace(/^(us-gov|us|eu|jp|au|apac|global)\.(?=\w)/, "");

const fromUtf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const toUtf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
/** Total length, header length, checksum of both. */
const PRELUDE_BYTES = 12;

/** Anthropic's error types by Bedrock exception; each type has its HTTP status. */
const TYPES = lookupTable<string>({
  throttlingException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  modelTimeoutException: "timeout_error",
  validationException: "invalid_request_error",
});

/**
 * Converts Bedrock's binary frames to server-sent events. The base64 of a chunk's `bytes` is the event that the model's
 * own API would send, other payloads are events themselves, and an exception frame becomes an error object in
 * Anthropic's shape.
 */
export function eventStreamToSse(): Transformer<Uint8Array, Uint8Array> {
  // Loaded by the first stream: it brings a good part of Amazon's client along.
  const { EventStreamCodec: Codec }: typeof import("@smithy/eventstream-codec") = require("@smithy/eventstream-codec");
  const codec = new Codec(toUtf8, fromUtf8);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    transform(bytes, controller) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      while (rest.length >= PRELUDE_BYTES) {
        const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
        if (rest.length < length) return;
        controller.enqueue(Buffer.from(eventOf(codec, rest.slice(0, length))));
        rest = rest.subarray(length);
      }
    },
  };
}

function eventOf(codec: EventStreamCodec, frame: Uint8Array): string {
  const { headers, body } = codec.decode(frame);
  const payload = toUtf8(body);
  if (headers[":message-type"]?.value === "event") {
    const inner = textOf(recordOf(parseJson(payload))?.bytes);
    const data = inner === null ? payload : Buffer.from(inner, "base64").toString("utf8");
    // Converse has the event name in the frame; its payloads have no type.
    const name =
      textOf(recordOf(parseJson(data))?.type) ?? (inner === null ? textOf(headers[":event-type"]?.value) : null);
    return `${name ? `event: ${name}\n` : ""}data: ${data}\n\n`;
  }
  const kind = String(headers[":exception-type"]?.value ?? "");
  const type = TYPES[kind] ?? "api_error";
  const message = textOf(recordOf(parseJson(payload))?.message) ?? (payload || kind);
  return `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`;
}
