import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { requestMembers } from "../../../formats/request-rules.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { textsOf } from "../../request/order-texts.ts";

/** Names a client's session. */
export const SESSION_HEADER = "mcp-session-id";

const MAX_SESSION_LENGTH = 100;

/** The client's session; empty: it names none. */
export const sessionOf = ({ headers }: Request): string =>
  headers.get(SESSION_HEADER)?.slice(0, MAX_SESSION_LENGTH) ?? "";

/** JSON-RPC: its `params` are the client's and the server's affair. */
const rpcRules: Endpoint["rules"] = {
  members: requestMembers("jsonrpc id method", { free: "params result error" }),
  numbers: [],
  switches: [],
};

/** A call of a tool: `read` gets `{model, arguments}`. */
export const toolEndpoint: Endpoint = {
  capability: "mcp",
  codec: openaiChatClientCodec,
  rules: rpcRules,
  streams: false,
  isTask: true,
  outlivesClient: true,
  emptyIsFree: false,
  read: ({ model, arguments: input }) => ({
    summary: {
      model: String(model),
      ...{ stream: false, wantsUsage: false, choices: 1, maxOutputTokens: null, reasoningEffort: null },
    },
    prompt: { prompt: JSON.stringify(input), input: textsOf(input) },
    conversation: null,
  }),
};
