import { AwsV4Signer } from "aws4fetch";
import { CLAUDE_MODELS } from "../anthropic.ts";
import type { Provider, ProviderChannel } from "../provider.ts";
import { bedrockModelId } from "./model-ids.ts";

type Credential =
  | { kind: "keys"; accessKeyId: string; secretAccessKey: string; region: string; sessionToken: string | undefined }
  | { kind: "bearer"; apiKey: string; region: string };

const DEFAULT_REGION = "us-east-1";

/** `ak|sk|region`, with a session token behind it if need be; or `apiKey|region`. */
function credentialOf(key: string): Credential {
  const [first = "", second = "", third, sessionToken] = key.split("|").map((part) => part.trim());
  return third === undefined
    ? { kind: "bearer", apiKey: first, region: second || DEFAULT_REGION }
    : { kind: "keys", accessKeyId: first, secretAccessKey: second, region: third || DEFAULT_REGION, sessionToken };
}

/** Claude on AWS Bedrock: Anthropic's format, signed, streamed in binary frames. */
export const bedrock: Provider = {
  type: 33,
  name: "AWS Claude",
  owner: "aws",
  dialects: ["anthropic"],
  defaultBaseUrl: null,
  baseUrlOptional: true,
  capabilities: ["chat"],
  keyHint: "accessKey|secretKey|region or apiKey|region",
  models: CLAUDE_MODELS,
  url(channel, { model, stream, key = "" }) {
    const { region } = credentialOf(key);
    const id = encodeURIComponent(bedrockModelId(model, region));
    return `${hostOf(channel, region)}/model/${id}/${stream ? "invoke-with-response-stream" : "invoke"}`;
  },
  modelListUrl: () => null,
  authHeaders(_channel, key): Record<string, string> {
    const credential = credentialOf(key);
    return credential.kind === "bearer" ? { authorization: `Bearer ${credential.apiKey}` } : {};
  },
  async sign({ url, headers, body }, _channel, key) {
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
    return Object.fromEntries(signed.headers.entries());
  },
  adapt(body, { model }) {
    const { anthropic_beta: betas } = body;
    return {
      model,
      changes: {
        model: undefined,
        stream: undefined,
        anthropic_version: "bedrock-2023-05-31",
        ...(typeof betas === "string" && { anthropic_beta: betas.split(",") }),
      },
      dropped: [],
    };
  },
  framing: "aws-events",
  streamUsage: true,
  inlineMedia: true,
};

const hostOf = ({ baseUrl }: ProviderChannel, region: string): string =>
  baseUrl.replace(/\/+$/, "") ||
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
