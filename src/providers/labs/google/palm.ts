import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { compact, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { addressOf, GEMINI_BASE_URL } from "./gemini.ts";

/** Writes a request for PaLM's generateMessage, whose authors are numbers. */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const supported = ["temperature", "top_p", "top_k", "n"];
  recordDropped(encodeChat({ ...conversation, turns: [] }, target, dropped), supported, dropped);
  const { temperature, topP, topK, n } = conversation.sampling;
  const messages = flattenTurns(conversation, dropped).map(({ role, text }) => ({
    author: role === "user" ? "0" : "1",
    content: text,
  }));
  return compact({
    prompt: compact({ context: systemText(conversation), messages }),
    temperature: temperature === null ? null : Math.min(1, Math.max(0, temperature)),
    candidateCount: n,
    topP,
    topK,
  });
}

/** A filtered response has no candidates. */
function readAnswer({ candidates, filters }: JsonObject): ParsedEvent {
  const messages = recordsOf(candidates);
  const blocked = messages.length === 0 && recordsOf(filters).length > 0;
  const answers = blocked ? [{ content: "" }] : messages;
  const choices = answers.map(({ content }, index) => ({
    index,
    delta: { content: textOf(content) ?? "" },
    finish_reason: blocked ? "content_filter" : "stop",
  }));
  return { chunk: { id: "palm", choices }, last: true };
}

/** Google's PaLM 2. The service has ended: its error goes on to clients. */
const palmCodec = chunkedCodec({
  dialect: "palm",
  encodeRequest,
  reader: () => readAnswer,
  isAnswer: (body) => Array.isArray(body.candidates) || Array.isArray(body.filters),
  decodeError: (status, body) => (status >= 400 || recordOf(body)?.error ? errorOf(status, body) : null),
});

const FIRST_MODEL = "chat-bison-001";

/** Google's PaLM 2. The service has ended: clients receive the 404 of its URL. */
export const palm: Provider = {
  type: 11,
  name: "Google PaLM2",
  owner: "google palm",
  defaultBaseUrl: GEMINI_BASE_URL,
  capabilities: ["chat"],
  keyHint: "AIza…",
  models: ["PaLM-2"],
  url({ baseUrl }, { model }) {
    const name = model.toLowerCase() === "palm-2" ? FIRST_MODEL : model;
    return `${addressOf(baseUrl).service}/v1beta2/models/${encodeURIComponent(name)}:generateMessage`;
  },
  authHeaders: (_channel, key) => ({ "x-goog-api-key": key }),
  facts: {
    documented: { source: "https://ai.google.dev/palm_docs/deprecation", version: "v1beta2" },
    ended: { day: "2024-08-15", source: "https://ai.google.dev/palm_docs/deprecation" },
  },
  chat: chatApi({
    formats: ["palm"],
    codec: palmCodec,
    streaming: { mode: () => "never", includesUsage: false },
  }),
};
