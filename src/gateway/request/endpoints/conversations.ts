import { anthropicClientCodec } from "../../../formats/anthropic/index.ts";
import { continuesThread } from "../../../formats/anthropic/request/decode-request.ts";
import { anthropicRules } from "../../../formats/anthropic/request/request-rules.ts";
import type { ClientCodec } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { geminiArrayClientCodec, geminiClientCodec } from "../../../formats/gemini/index.ts";
import { geminiRules } from "../../../formats/gemini/request/request-rules.ts";
import { interactionsClientCodec } from "../../../formats/gemini-interactions/index.ts";
import { interactionsRules } from "../../../formats/gemini-interactions/request/request-rules.ts";
import { statedEffort } from "../../../formats/helpers/reasoning-setting.ts";
import { recordsOf } from "../../../formats/json.ts";
import { promptAsChat } from "../../../formats/openai-chat/index.ts";
import { hasMcpTool, type RequestSummary } from "../../../formats/openai-chat/request/summary.ts";
import { openaiResponsesClientCodec } from "../../../formats/openai-responses/index.ts";
import { responsesRules } from "../../../formats/openai-responses/request/request-rules.ts";
import type { RequestRules } from "../../../formats/request-rules.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { invalidRequest } from "../client-body.ts";

/** POST /v1/messages */
export const messages: Endpoint = {
  ...chatEndpoint(anthropicClientCodec, anthropicRules),
  namesMcpServers: ({ mcp_servers: servers }) => Array.isArray(servers) && servers.length > 0,
};
const ownResponses = chatEndpoint(openaiResponsesClientCodec, responsesRules);
/** POST /v1/responses */
export const responses: Endpoint = {
  ...ownResponses,
  namesMcpServers: hasMcpTool,
};
/** POST /v1beta/interactions */
export const interactions = chatEndpoint(interactionsClientCodec, interactionsRules);
/** POST /v1/responses/compact */
export const compactResponse: Endpoint = { ...ownResponses, streams: false, compacts: true };
/** POST …/models/{model}:generateContent, and :streamGenerateContent with `alt=sse` */
export const generateContent: Endpoint = {
  ...chatEndpoint(geminiClientCodec, geminiRules),
  namesMcpServers: ({ tools }) => recordsOf(tools).some(({ mcpServers, mcp_servers }) => mcpServers ?? mcp_servers),
};
/** POST …/models/{model}:streamGenerateContent: a JSON array, element by element */
export const generateContentArray: Endpoint = { ...generateContent, codec: geminiArrayClientCodec };

/** A chat endpoint in a format other than OpenAI's Chat Completions. */
function chatEndpoint(codec: ClientCodec, rules: RequestRules): Endpoint {
  return {
    capability: "chat",
    codec,
    rules,
    streams: true,
    emptyIsFree: true,
    read(body, path) {
      const conversation = codec.decodeRequest(
        body,
        path ? { model: path.model, stream: path.stream === true } : undefined,
      );
      if (isEmpty(conversation)) throw invalidRequest({ code: "gateway_no_message" }, "input");
      return { summary: summaryOf(conversation), prompt: promptAsChat(conversation), conversation: () => conversation };
    },
  };
}

/** Whether a request has no messages and refers to none stored elsewhere. */
const isEmpty = ({ turns, system, extra: { members } }: Conversation): boolean =>
  turns.length === 0 &&
  system.length === 0 &&
  !members.previous_response_id &&
  !members.previous_interaction_id &&
  !members.prompt &&
  !continuesThread(members);

function summaryOf({ model, stream, sampling, reasoning }: Conversation): RequestSummary {
  return {
    model,
    stream,
    wantsUsage: true,
    choices: Math.max(1, sampling.n ?? 1),
    maxOutputTokens: sampling.maxOutputTokens,
    reasoningEffort: statedEffort(reasoning.setting),
  };
}
