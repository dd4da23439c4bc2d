import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { hasMcpTool, readChat, readOpenAi } from "../../../formats/openai-chat/request/summary.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { invalidRequest } from "../client-body.ts";

export const chatCompletions: Endpoint = {
  capability: "chat",
  codec: openaiChatClientCodec,
  rules: openaiRules,
  streams: true,
  emptyIsFree: true,
  namesMcpServers: hasMcpTool,
  read: readChat,
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
