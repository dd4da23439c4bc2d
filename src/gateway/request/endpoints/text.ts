import type { JsonObject } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { summarize } from "../../../formats/openai-chat/request/summary.ts";
import type { Endpoint, EndpointRequest, PathParameters } from "../../call/endpoint.ts";
import { invalidRequest } from "../client-body.ts";

export const chatCompletions: Endpoint = {
  capability: "chat",
  codec: openaiChatClientCodec,
  rules: openaiRules,
  streams: true,
  emptyIsFree: true,
  read(body, path) {
    if (!Array.isArray(body.messages) || body.messages.length === 0) {
      throw invalidRequest({ code: "gateway_no_messages" }, "messages");
    }
    const conversation = () => openaiChatClientCodec.decodeRequest(body);
    return { summary: summarize(body, path?.model), prompt: body, conversation };
  },
};

export const completions: Endpoint = {
  capability: "completions",
  codec: openaiChatClientCodec,
  rules: openaiRules,
  streams: true,
  emptyIsFree: false,
  read(body, path) {
    if (body.prompt === undefined)
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
    return readOpenAi(body, path);
  },
};

/** Reads a request in OpenAI's formats. A model in the path is the one that counts, as at Azure. */
export const readOpenAi = (body: JsonObject, path: PathParameters | null): EndpointRequest => ({
  summary: summarize(body, path?.model),
  prompt: body,
  conversation: null,
});
