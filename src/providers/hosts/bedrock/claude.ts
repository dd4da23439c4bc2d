import { countOf } from "../../../formats/json.ts";
import { chatApi, type TokenCount } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { CLAUDE_MODELS } from "../../labs/anthropic.ts";
import { cloudBetas, cloudMembers, onBetasRejected } from "../../shared/hosted-claude.ts";
import {
  BEDROCK_REGIONS,
  bearerHeader,
  bedrockModelId,
  credentialOf,
  eventStreamToSse,
  foundationModelId,
  hostOf,
  signForAws,
} from "./bedrock.ts";

/** Model and stream are part of the URL. */
const ENVELOPE = { model: undefined, stream: undefined, anthropic_version: "bedrock-2023-05-31" };

/**
 * Bedrock's CountTokens with the body of InvokeModel:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 */
const tokenCount: TokenCount = {
  url(channel, params) {
    const { region } = credentialOf(params.key ?? "");
    const id = foundationModelId(bedrockModelId(params, region));
    return `${hostOf(channel, region)}/model/${encodeURIComponent(id)}/count-tokens`;
  },
  encode: (chat) => ({
    input: { invokeModel: { body: Buffer.from(JSON.stringify({ max_tokens: 1, ...chat })).toString("base64") } },
  }),
  decode: ({ inputTokens }) => countOf(inputTokens),
};

/** Claude on AWS Bedrock: Anthropic's format, signed, streamed in binary frames. */
export const bedrock: Provider = {
  type: 33,
  name: "AWS Claude",
  owner: "aws",
  defaultBaseUrl: null,
  baseUrlOptional: true,
  capabilities: ["chat"],
  keyHint: "accessKey|secretKey|region or apiKey|region",
  models: CLAUDE_MODELS,
  url(channel, params) {
    const { region } = credentialOf(params.key ?? "");
    const id = encodeURIComponent(bedrockModelId(params, region));
    return `${hostOf(channel, region)}/model/${id}/${params.stream ? "invoke-with-response-stream" : "invoke"}`;
  },
  authHeaders: (_channel, key) => bearerHeader(key),
  sign: (request, _channel, key) => signForAws(request, key),
  prepare(body, params) {
    const { changes, dropped } = cloudMembers("bedrock", body, params);
    return { model: params.model, changes: { ...ENVELOPE, ...changes }, dropped };
  },
  onRejected: onBetasRejected,
  // https://docs.aws.amazon.com/bedrock/latest/userguide/quotas-token-burndown.html
  facts: {
    documented: {
      source: "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html",
      version: "bedrock-2023-05-31",
      day: "2026-11-29",
    },
    regions: BEDROCK_REGIONS,
    tiers: {},
    chat: { inlineMediaOnly: true, reservesOutput: true },
  },
  chat: chatApi({
    formats: ["anthropic"],
    tokenCount: () => tokenCount,
    envelope(body, params) {
      const { changes, dropped } = cloudBetas("bedrock", body, params);
      return { changes: { ...ENVELOPE, ...changes }, dropped };
    },
    streaming: { framing: eventStreamToSse },
  }),
};
