import { nearestEffort } from "../../../catalog/nearest-effort.ts";
import type { Dropped, ProviderCodec, Target } from "../../../formats/conversation/codec.ts";
import { type Reply, ReplyCollector } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { ReplyEvent, StreamDecoder, WireEvent } from "../../../formats/conversation/reply.ts";
import { recordForeignFields } from "../../../formats/helpers/dropped-fields.ts";
import { isSilent } from "../../../formats/helpers/silent-messages.ts";
import { compact, countOf, type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { ChatStreamDecoder } from "../../../formats/openai-chat/response/stream-decoder.ts";
import { requestsStrictTools } from "../../../formats/tools/pair-calls.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";

const UNKNOWN = ["n", "logit_bias", "tool_choice", "parallel_tool_calls", "user", "metadata"];
const ALSO_UNSUPPORTED = ["service_tier", "verbosity", "modalities", "audio", "prompt_cache_key"];

/** Writes a request of Ollama's chat, images included: https://github.com/ollama/ollama/blob/main/docs/api.md. */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  // These two have other names and limits here.
  const rest = { ...conversation.sampling, topK: null, stop: [] };
  const chat = encodeChat({ ...conversation, sampling: rest }, target, dropped);
  for (const name of [...UNKNOWN, ...ALSO_UNSUPPORTED]) if (chat[name] !== undefined) dropped.add(name);
  if (requestsStrictTools(conversation)) dropped.add("strict");
  recordForeignFields(conversation, ["options", "keep_alive"], dropped);
  const { sampling, extra } = conversation;
  const own = extra.dialect === "openai-chat" ? extra.members : {};
  const options = compact({
    ...recordOf(own.options),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    num_predict: sampling.maxOutputTokens,
    stop: sampling.stop.length > 0 ? sampling.stop : null,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  });
  const tools = recordsOf(chat.tools).filter(({ type }) => type === "function");
  return compact({
    model: target.model,
    messages: messagesOf(recordsOf(chat.messages), dropped),
    // Ollama streams by default.
    stream: conversation.stream,
    tools: tools.length > 0 && conversation.toolChoice?.type !== "none" ? tools : null,
    format: formatOf(conversation.format),
    options: Object.keys(options).length > 0 ? options : null,
    think: thinkOf(conversation.reasoning),
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
    keep_alive: own.keep_alive,
  });
}

function messagesOf(messages: readonly JsonObject[], dropped: Dropped): JsonObject[] {
  const names = new Map<unknown, unknown>();
  return messages.flatMap((message) => {
    const { role, content, reasoning_content, tool_calls, tool_call_id } = message;
    const calls = recordsOf(tool_calls).map((call) => {
      const called = recordOf(call.function) ?? recordOf(call.custom) ?? {};
      names.set(call.id, called.name);
      const read = recordOf(parseJson(textOf(called.arguments) ?? "")) ?? { input: called.input ?? called.arguments };
      return { function: { name: called.name, arguments: read } };
    });
    const parts = recordsOf(content);
    const images = parts.flatMap((part) => imageOf(part, dropped));
    const written = compact({
      role,
      content: textOf(content) ?? parts.flatMap(({ text }) => textOf(text) ?? []).join("\n"),
      images: images.length > 0 ? images : null,
      thinking: reasoning_content,
      tool_calls: calls.length > 0 ? calls : null,
      tool_name: names.get(tool_call_id),
    });
    return isSilent(written, message) ? [] : [written];
  });
}

/** The image as plain base64. */
function imageOf(part: JsonObject, dropped: Dropped): string[] {
  if (part.type === "text") return [];
  const url = textOf(recordOf(part.image_url)?.url) ?? "";
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  if (data === undefined) dropped.add(textOf(part.type) ?? "content");
  return data === undefined ? [] : [data];
}

function formatOf(format: Conversation["format"]): unknown {
  if (!format || format.type === "text") return null;
  return format.type === "schema" ? format.schema : "json";
}

/** Models that cannot reason reject `think`, so it is sent only if the client requests or disables reasoning. */
function thinkOf({ setting }: Conversation["reasoning"]): boolean | string | null {
  if (!setting) return null;
  if (setting.type === "off") return false;
  if (setting.type !== "effort") return true;
  return nearestEffort(["low", "medium", "high"], setting.effort);
}

/** Reads a stream of Ollama's own chat: each line equals an OpenAI chunk. */
class OllamaStreamDecoder implements StreamDecoder {
  readonly #chunks: ChatStreamDecoder;
  #calls = 0;

  constructor(newId: (prefix: string) => string) {
    this.#chunks = new ChatStreamDecoder(newId);
  }

  get ended(): boolean {
    return this.#chunks.ended;
  }

  push({ data }: WireEvent): ReplyEvent[] {
    const line = recordOf(parseJson(data));
    if (!line) return [];
    const chunk = textOf(line.error) === null ? this.#chunkOf(line) : line;
    const steps = this.#chunks.push({ event: "", data: JSON.stringify(chunk) });
    if (line.done === true) this.#chunks.ended = true;
    return steps;
  }

  end(): ReplyEvent[] {
    return this.#chunks.end();
  }

  #chunkOf(line: JsonObject): JsonObject {
    const message = recordOf(line.message) ?? {};
    // Calls arrive complete, mostly without an id and never with an index.
    const calls = recordsOf(message.tool_calls).map((call) => ({ ...call, index: this.#calls++ }));
    const delta = { content: message.content, reasoning: message.thinking, tool_calls: calls };
    const created = Math.floor(Date.parse(textOf(line.created_at) ?? "") / 1000);
    const finish = line.done === true ? (textOf(line.done_reason) ?? "stop") : null;
    return {
      model: line.model,
      created: Number.isNaN(created) ? null : created,
      choices: [{ index: 0, delta, logprobs: { content: line.logprobs }, finish_reason: finish }],
      // Without the prompt's count (the prompt was cached) usage is unknown rather than small.
      usage: { prompt_tokens: countOf(line.prompt_eval_count), completion_tokens: countOf(line.eval_count) ?? 0 },
    };
  }
}

/** Reads a complete response, which equals a stream of one line; null if it has no message. */
function decodeReply(body: JsonObject): Reply | null {
  if (!recordOf(body.message)) return null;
  let made = 0;
  // Ids derive from the time, so that they differ between turns.
  const seed = (textOf(body.created_at) ?? "").replace(/\D/g, "");
  const decoder = new OllamaStreamDecoder((prefix) => `${prefix}${seed}${made++}`);
  const collector = new ReplyCollector();
  for (const step of decoder.push({ event: "", data: JSON.stringify(body) })) collector.push(step);
  for (const step of decoder.end()) collector.push(step);
  return collector.reply;
}

/** Ollama's own chat. Its stream is newline-delimited JSON: each line is an event's data. */
export const ollamaCodec: ProviderCodec = {
  dialect: "ollama",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new OllamaStreamDecoder(newId),
  decodeError: errorOf,
};

const DATA = Buffer.from("data: ");
const EVENT_END = Buffer.from("\n\n");
const LF = 10;

/** Turns newline-delimited JSON into server-sent events: each line becomes the data of an event. */
export function ndjsonToSse(): Transformer<Uint8Array, Uint8Array> {
  let partial: Uint8Array[] = [];
  const emit = (rest: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    const line = Buffer.concat([...partial, rest]);
    partial = [];
    if (line.toString().trim() !== "") controller.enqueue(Buffer.concat([DATA, line, EVENT_END]));
  };
  return {
    transform(bytes, controller) {
      let start = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
        emit(bytes.subarray(start, end), controller);
        start = end + 1;
      }
      if (start < bytes.length) partial.push(bytes.slice(start));
    },
    flush: (controller) => emit(new Uint8Array(0), controller),
  };
}

const DEFAULT_BASE_URL = "http://localhost:11434";
/** Its own API stands at the same address. */
const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "/v1",
  printed: [[/\/api(\/(chat|generate|tags))?$/, "/v1"]],
};

const DOCUMENTED = { source: "https://github.com/ollama/ollama/blob/main/docs/api.md", day: "2026-11-29" };

/** Everything except chats goes to Ollama's OpenAI-compatible endpoints. */
const compatible = openAiCompatible({
  type: 4,
  name: "Ollama",
  owner: "ollama",
  baseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "completions", "embeddings"],
  keyHint: "ollama",
  models: ["llama3.3", "qwen3", "gpt-oss:20b", "gemma3", "deepseek-r1", "mistral", "nomic-embed-text"],
  noListPrice: "own_server",
  facts: { documented: DOCUMENTED, addresses: ADDRESSES },
});

/** Ollama, with chats in its own format: newline-delimited JSON, images inside the request. */
export const ollama: Provider = {
  ...compatible,
  url: (channel, params) =>
    params.capability === "chat" ? `${rootOf(channel.baseUrl)}/api/chat` : compatible.url(channel, params),
  modelList: { url: (channel) => `${rootOf(channel.baseUrl)}/api/tags`, read: readNamesIn("models") },
  facts: { documented: DOCUMENTED, addresses: ADDRESSES, chat: { inlineMediaOnly: true } },
  chat: chatApi({
    formats: ["ollama"],
    codec: ollamaCodec,
    streaming: { framing: ndjsonToSse },
  }),
};

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).service;
