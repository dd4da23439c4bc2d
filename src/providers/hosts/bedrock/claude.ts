import type { Provider } from "../../contract/provider.ts";
import { decodeBedrockCount, encodeBedrockCount } from "../../contract/token-count.ts";
import { CLAUDE_MODELS } from "../../labs/anthropic.ts";
import { cloudBetas, cloudMembers } from "../../shared/hosted-claude.ts";
import { bearerHeader, credentialOf, hostOf, signForAws } from "./credential.ts";
import { bedrockModelId, foundationModelId } from "./model-ids.ts";

/** Model and stream stand in the address. */
const FRAME = { model: undefined, stream: undefined, anthropic_version: "bedrock-2023-05-31" };

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
  tokenCount: () => ({
    url(channel, { model, key = "" }) {
      const { region } = credentialOf(key);
      const id = foundationModelId(bedrockModelId(model, region));
      return `${hostOf(channel, region)}/model/${encodeURIComponent(id)}/count-tokens`;
    },
    encode: encodeBedrockCount,
    decode: decodeBedrockCount,
  }),
  modelListUrl: () => null,
  authHeaders: (_channel, key) => bearerHeader(key),
  sign: (request, _channel, key) => signForAws(request, key),
  adapt(body, ask) {
    const { changes, dropped } = cloudMembers("bedrock", body, ask);
    return { model: ask.model, changes: { ...FRAME, ...changes }, dropped };
  },
  envelope(body, ask) {
    const { changes, dropped } = cloudBetas("bedrock", body, ask);
    return { changes: { ...FRAME, ...changes }, dropped };
  },
  framing: "aws-events",
  streamUsage: true,
  inlineMedia: true,
};
