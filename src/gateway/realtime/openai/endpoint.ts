import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import type { Endpoint } from "../../http/endpoints/endpoint.ts";
import { readOpenAi } from "../../http/endpoints/text.ts";
import { realtimeRules } from "./request-rules.ts";

/** GET /v1/realtime: a session over a WebSocket; each response in it is a call of its own. */
export const realtime: Endpoint = {
  capability: "realtime",
  translatesTo: "live",
  codec: openaiChatClientCodec,
  rules: realtimeRules,
  streams: true,
  emptyIsFree: false,
  read: readOpenAi,
};
