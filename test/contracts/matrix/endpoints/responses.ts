import type { FurtherName, ProviderName } from "../cells.ts";
import { type Answer, events } from "../conversation.ts";
import { bedrockEvents } from "../upstreams/anthropic.ts";
import { converseEnding } from "../upstreams/own-formats/converse.ts";
import { dashscopeEvents } from "../upstreams/own-formats/dashscope.ts";
import { hunyuanEnding } from "../upstreams/own-formats/hunyuan.ts";
import { ollamaLines } from "../upstreams/own-formats/ollama.ts";
import { dify, spark } from "../upstreams/own-formats/plain.ts";

export const ADDRESS = "https://example.org/ghent";
export const TEXTS = ["Rain", "Sun"] as const;
export const LOGPROB = -0.25;
const TITLE = "Ghent";
const TOKEN = { token: TEXTS[0], logprob: LOGPROB, bytes: [...Buffer.from(TEXTS[0])], top_logprobs: [] };
const USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const SHORT: Answer = {
  thought: "",
  text: TEXTS[0],
  calls: [],
  finish: "stop",
  usage: { prompt: 5, cached: 0, completion: 3 },
};
const SMALL_USAGE = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };

type Speak = (feature: FurtherName, streamed: boolean, path: string) => Response;

const textsFor = (feature: FurtherName): readonly string[] => (feature === "several" ? TEXTS : TEXTS.slice(0, 1));

/** OpenAI's chats, and whoever imitates them. */
const chat: Speak = (feature, streamed) => {
  const common = { id: "cmpl-1", created: 1_760_000_000, model: "served" };
  const annotation = {
    type: "url_citation",
    url_citation: { url: ADDRESS, title: TITLE, start_index: 0, end_index: 4 },
  };
  const cited = feature === "citations" ? { annotations: [annotation] } : {};
  const logprobs = feature === "logprobs" ? { content: [TOKEN], refusal: null } : null;
  const finish_reason = feature === "blocked" ? "content_filter" : "stop";
  const texts = textsFor(feature);
  if (!streamed) {
    const choices = texts.map((content, index) => {
      return { index, message: { role: "assistant", content, refusal: null, ...cited }, logprobs, finish_reason };
    });
    return Response.json({ ...common, object: "chat.completion", choices, usage: USAGE });
  }
  const chunk = (choices: readonly object[], rest: object = {}) => ({
    ...common,
    object: "chat.completion.chunk",
    choices,
    ...rest,
  });
  const messages = texts.map((content, index) =>
    chunk([{ index, delta: { role: "assistant", content, ...cited }, logprobs, finish_reason: null }]),
  );
  const ends = texts.map((_, index) => chunk([{ index, delta: {}, logprobs: null, finish_reason }]));
  return events([...messages, ...ends, chunk([], { usage: USAGE })], false, "data: [DONE]\n\n");
};

const responses: Speak = (feature, streamed) => {
  const annotation = { type: "url_citation", url: ADDRESS, title: TITLE, start_index: 0, end_index: 4 };
  const annotations = feature === "citations" ? [annotation] : [];
  const logprobs = feature === "logprobs" ? [TOKEN] : [];
  const blocked = feature === "blocked";
  const part = { type: "output_text", text: TEXTS[0], annotations, logprobs };
  const item = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [part] };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    model: "gpt-5-codex",
    status: blocked ? "incomplete" : "completed",
    error: null,
    incomplete_details: blocked ? { reason: "content_filter" } : null,
    instructions: null,
    metadata: {},
    output: [item],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: {
      ...SMALL_USAGE,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  if (!streamed) return Response.json(response);
  const { usage: _, ...open } = { ...response, status: "in_progress", output: [], incomplete_details: null };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const list = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part: { ...part, text: "", annotations: [], logprobs: [] } },
    { type: "response.output_text.delta", ...at, delta: TEXTS[0], logprobs },
    ...annotations.map((one, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...at,
      annotation_index,
      annotation: one,
    })),
    { type: "response.output_text.done", ...at, text: TEXTS[0], logprobs },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: blocked ? "response.incomplete" : "response.completed", response },
  ];
  return events(
    list.map((event, sequence_number) => ({ ...event, sequence_number })),
    true,
  );
};

function claude(feature: FurtherName): { message: object; list: object[] } {
  const citation = {
    type: "web_search_result_location",
    url: ADDRESS,
    title: TITLE,
    cited_text: TEXTS[0],
    encrypted_index: "ZQ==",
  };
  const cited = feature === "citations";
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
  const end = { stop_reason: feature === "blocked" ? "refusal" : "end_turn", stop_sequence: null };
  const usage = { input_tokens: 5, output_tokens: 3 };
  const content = [{ type: "text", text: TEXTS[0], ...(cited && { citations: [citation] }) }];
  const list = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...(cited ? [{ type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } }] : []),
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXTS[0] } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: end, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
  return { message: { ...message, content, ...end, usage }, list };
}

const gemini: Speak = (feature, streamed) => {
  const chosen = { token: TEXTS[0], tokenId: 7, logProbability: LOGPROB };
  const candidates = textsFor(feature).map((text, index) => ({
    index,
    content: { role: "model", parts: [{ text }] },
    finishReason: feature === "blocked" ? "SAFETY" : "STOP",
    ...(feature === "citations" && {
      groundingMetadata: { groundingChunks: [{ web: { uri: ADDRESS, title: TITLE } }] },
    }),
    ...(feature === "logprobs" && {
      logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] },
    }),
  }));
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
  const meta = { usageMetadata, modelVersion: "gemini-2.5-flash", responseId: "q8Zl" };
  if (!streamed) return Response.json({ candidates, ...meta });
  return events(
    candidates.map((candidate) => ({ candidates: [candidate], ...meta })),
    false,
  );
};

const ollama: Speak = (_feature, streamed) => {
  const line = {
    model: "qwen3",
    created_at: "2026-03-04T05:06:07.891234Z",
    message: { role: "assistant", content: TEXTS[0] },
    logprobs: [TOKEN],
  };
  const end = { done: true, done_reason: "stop", prompt_eval_count: 5, eval_count: 3 };
  if (!streamed) return Response.json({ ...line, ...end });
  const empty = { ...line, message: { role: "assistant", content: "" }, logprobs: [] };
  return ollamaLines([
    { ...line, done: false },
    { ...empty, ...end },
  ]);
};

const cohere: Speak = (_feature, streamed) => {
  const source = { type: "document", id: "doc:0", document: { id: "doc:0", title: TITLE, url: ADDRESS } };
  const citation = { start: 0, end: 4, text: TEXTS[0], sources: [source], type: "TEXT_CONTENT" };
  const usage = { tokens: { input_tokens: 5, output_tokens: 3 } };
  const content = [{ type: "text", text: TEXTS[0] }];
  if (!streamed) {
    const message = { role: "assistant", content, citations: [citation] };
    return Response.json({ id: "c-1", finish_reason: "COMPLETE", message, usage });
  }
  const list = [
    { type: "message-start", id: "c-1", delta: { message: { role: "assistant", content: [], citations: [] } } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    { type: "content-delta", index: 0, delta: { message: { content: { text: TEXTS[0] } } } },
    { type: "content-end", index: 0 },
    { type: "citation-start", index: 0, delta: { message: { citations: citation } } },
    { type: "citation-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "COMPLETE", usage } },
  ];
  return events(list, true);
};

const dashscope: Speak = (feature, streamed, path) => {
  if (path.startsWith("/compatible-mode/")) return chat(feature, streamed, path);
  const found = { search_results: [{ index: 1, title: TITLE, url: ADDRESS }] };
  const choices = textsFor(feature).map((text) => ({
    message: { role: "assistant", content: [{ text }] },
    finish_reason: "stop",
    ...(feature === "logprobs" && { logprobs: { content: [TOKEN] } }),
  }));
  const output = { choices, ...(feature === "citations" && { search_info: found }) };
  const answer = { output, usage: SMALL_USAGE, request_id: "b7e1-0042" };
  return streamed ? dashscopeEvents([answer]) : Response.json(answer);
};

/** How each provider answers what can only be seen in its answers. */
export const speakFurther: Readonly<Partial<Record<ProviderName, Speak>>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic: (feature, streamed) => {
    const { message, list } = claude(feature);
    return streamed ? events(list, true) : Response.json(message);
  },
  bedrock: (feature, streamed) => {
    const { message, list } = claude(feature);
    return streamed ? bedrockEvents(list) : Response.json(message);
  },
  gemini,
  ollama,
  cohere,
  dashscope,
  mistral: chat,
  converse: (feature, streamed) =>
    converseEnding(TEXTS[0], feature === "blocked" ? "content_filtered" : "end_turn", streamed),
  palm: (feature) =>
    Response.json(
      feature === "blocked"
        ? { filters: [{ reason: "SAFETY" }] }
        : { candidates: textsFor(feature).map((content) => ({ author: "1", content })) },
    ),
  qianfan: (feature, streamed) => {
    const blocked = { need_clear_history: true, ban_round: -1 };
    const answer = { id: "as-1", result: TEXTS[0], ...(feature === "blocked" && blocked), usage: USAGE };
    return streamed ? events([{ ...answer, sentence_id: 0, is_end: true }], false) : Response.json(answer);
  },
  spark: (_feature, streamed) => spark.speak(SHORT, streamed),
  dify: (_feature, streamed) => dify.speak(SHORT, streamed),
  hunyuan: (feature, streamed) => {
    const found = { SearchInfo: { SearchResults: [{ Index: 1, Title: TITLE, Url: ADDRESS }] } };
    const ending = feature === "blocked" ? "sensitive" : "stop";
    return hunyuanEnding(TEXTS[0], ending, feature === "citations" ? found : {}, streamed);
  },
};
