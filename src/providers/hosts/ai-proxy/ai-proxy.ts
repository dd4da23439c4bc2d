import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, lastUserText } from "../../../formats/helpers/flatten-to-text.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { bodyJson } from "../../shared/signed-body.ts";

/** Writes a question to a library, which receives only the last message. The library's id is added with the key. */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  recordDropped(encodeChat({ ...conversation, turns: [] }, target, dropped), [], dropped);
  if (conversation.system.length > 0) dropped.add("system");
  const lines = flattenTurns(conversation, dropped);
  if (lines.length > 1) dropped.add("messages");
  return { model: target.model, query: lastUserText(lines), stream: conversation.stream };
}

/** The source documents, as a numbered list after the answer. */
function sourcesOf(documents: unknown): string {
  const list = recordsOf(documents).map(
    ({ title, url }, at) => `${at + 1}. [${textOf(title) ?? ""}](${textOf(url) ?? ""})`,
  );
  return list.length === 0 ? "" : `\n\n${list.join("\n")}`;
}

function readEvent(body: JsonObject): ParsedEvent {
  const answer = textOf(body.answer);
  const last = answer !== null || body.finish === true;
  const content = (answer ?? textOf(body.content) ?? "") + (last ? sourcesOf(body.documents) : "");
  const choice = { index: 0, delta: { content }, finish_reason: last ? "stop" : null };
  return { chunk: { id: "library", model: body.model, choices: [choice] }, last };
}

function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  const code = numberOf(answer?.errCode);
  if (code === null || code === 0) return status >= 400 ? errorOf(status, body) : null;
  return serviceError(status >= 400 ? status : 502, String(code), textOf(answer?.message) ?? "");
}

/** AI Proxy's knowledge base. */
const aiProxyCodec = chunkedCodec({
  dialect: "ai-proxy",
  encodeRequest,
  reader: () => readEvent,
  isAnswer: (body) => textOf(body.answer) !== null,
  decodeError,
});

const DEFAULT_BASE_URL = "https://api.aiproxy.io";
const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/api/library/ask" };
const BALANCE_URL = "https://aiproxy.io/api/report/getUserOverview";

/** AI Proxy's knowledge base: `other` is the id of the library. */
export const aiProxy: Provider = {
  type: 21,
  name: "AI Proxy knowledge base",
  owner: "aiproxy",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "ap-…",
  facts: { documented: { source: "https://aiproxy.io" } },
  models: ["gpt-4o-mini", "gpt-4o"],
  url: ({ baseUrl }) => resolveBase(baseUrl, ADDRESSES).api,
  balance: {
    // The balance has another host than the calls, unless the channel has a base URL.
    url: ({ baseUrl }) =>
      baseUrl ? `${resolveBase(baseUrl, ADDRESSES).service}/api/report/getUserOverview` : BALANCE_URL,
    headers: (key) => ({ "api-key": key }),
    read(answer) {
      const points = Number(recordOf(recordOf(answer)?.data)?.totalPoints ?? Number.NaN);
      return Number.isFinite(points) ? points : null;
    },
    currency: () => "points",
  },
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  sign: async (request, { other }) => ({
    body: JSON.stringify({ ...bodyJson(request), libraryId: other }),
  }),
  chat: chatApi({ formats: ["ai-proxy"], codec: aiProxyCodec, streaming: { includesUsage: false } }),
};
