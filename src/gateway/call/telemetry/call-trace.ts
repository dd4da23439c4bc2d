import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  trace as traces,
} from "@opentelemetry/api";
import type { Attempt, UsageRecord } from "../../../billing/types.ts";
import type { ChatDialect, Conversation } from "../../../formats/conversation/conversation.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, numberOf, recordOf } from "../../../formats/json.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Capability, TaskCapability } from "../../../providers/contract/provider.ts";
import { codecOf } from "../../../providers/registry.ts";
import { answerOf, finishReasonsOf, inputAttributes, outputAttributes } from "./genai-messages.ts";

export type Tracing = Readonly<{ tracer: Tracer; propagator: TextMapPropagator; capturesContent: boolean }>;

/** What is known about a call when it begins. */
export type TracedCall = Readonly<{
  request: Request;
  endpoint: Readonly<{ capability: Capability | TaskCapability; codec: Readonly<{ dialect: ChatDialect }> }>;
  summary: Readonly<{ model: string; stream: boolean }>;
  body: Readonly<{ json: JsonObject }>;
}>;

/** What a call says, as its client sent it. */
type Content = Readonly<{ prompt: JsonObject; conversation: (() => Conversation) | null }>;

/** The channel and its model name. */
export type TracedRoute = Readonly<{
  provider: Readonly<{ type: number; name: string }>;
  channel: Readonly<{ id: number; name: string }>;
  upstreamModel: string;
}>;

/** Of longer answers, the beginning is described. */
const MOST_RECEIVED_CHARACTERS = 1024 * 1024;

/**
 * The spans of one call: a server span, and below it a client span for each attempt, which the upstream receives in
 * `traceparent` (https://www.w3.org/TR/trace-context/). A call that is not sampled costs next to nothing and still
 * propagates the trace.
 */
export class CallTrace {
  readonly #tracing: Tracing;
  readonly #operation: string;
  readonly #isStream: boolean;
  readonly #dialect: ChatDialect;
  /** `performance.now()` at arrival. */
  readonly #startedAtMs: number;
  /** Unix time in milliseconds at which `performance.now()` was 0: one clock for every moment of the call. */
  readonly #epochMs = Date.now() - performance.now();
  readonly #body: JsonObject;
  readonly #context: Context;
  readonly #span: Span;
  #attempt: Span | null = null;
  /** Of the latest attempt: one that another has replaced is no longer described. */
  #channelId = 0;
  #attemptContext: Context = ROOT_CONTEXT;
  /** What the client has got. */
  #received: string[] = [];
  #receivedCharacters = 0;
  #content: Content | null = null;

  constructor(tracing: Tracing, { request, endpoint, summary, body }: TracedCall, startedAtMs: number) {
    this.#tracing = tracing;
    this.#operation = operationOf(endpoint.capability);
    this.#isStream = summary.stream;
    this.#dialect = endpoint.codec.dialect;
    this.#startedAtMs = startedAtMs;
    this.#body = body.json;
    const parent = tracing.propagator.extract(ROOT_CONTEXT, request.headers, HEADERS);
    this.#span = tracing.tracer.startSpan(
      `gateway ${this.#operation}`,
      {
        kind: SpanKind.SERVER,
        startTime: this.#epochMs + startedAtMs,
        attributes: {
          "http.request.method": request.method,
          "gen_ai.operation.name": this.#operation,
          "gen_ai.request.model": summary.model,
        },
      },
      parent,
    );
    this.#context = traces.setSpan(parent, this.#span);
  }

  /** Begins the span of an attempt. In a call that is not sampled, the upstream gets the call's own span as its parent. */
  beginAttempt({ provider, channel, upstreamModel }: TracedRoute): void {
    this.#channelId = channel.id;
    if (!this.#span.isRecording()) {
      this.#attemptContext = this.#context;
      return;
    }
    this.#attempt?.end(this.#now());
    this.#received = [];
    this.#receivedCharacters = 0;
    this.#attempt = this.#tracing.tracer.startSpan(
      `${this.#operation} ${upstreamModel}`,
      {
        kind: SpanKind.CLIENT,
        startTime: this.#now(),
        attributes: {
          "gen_ai.operation.name": this.#operation,
          "gen_ai.provider.name": providerNameOf(provider),
          "gen_ai.request.model": upstreamModel,
          "gen_ai.request.stream": this.#isStream,
          "sluice.channel.id": channel.id,
          "sluice.channel.name": channel.name,
          ...requestAttributes(this.#body),
        },
      },
      this.#context,
    );
    this.#attemptContext = traces.setSpan(this.#context, this.#attempt);
  }

  /** Adds the trace to the headers of the request to the upstream at `url`, where the channel's attempt is the latest. */
  inject(channelId: number, headers: Record<string, string>, url: string): void {
    if (channelId !== this.#channelId) return;
    if (this.#attempt?.isRecording()) this.#attempt.setAttributes(serverAttributes(url));
    this.#tracing.propagator.inject(this.#attemptContext, headers, RECORD);
  }

  /** Ends the span of the latest attempt, which failed before a response was sent to the client. */
  failAttempt({ channelId, status, error }: Attempt): void {
    if (channelId !== this.#channelId) return;
    if (status > 0) this.#attempt?.setAttribute("http.response.status_code", status);
    fail(this.#attempt, status > 0 ? String(status) : "no_response", error);
    this.#attempt?.end(this.#now());
    this.#attempt = null;
  }

  /** Whether the call is sampled: only then is what its client gets of interest. */
  get isRecording(): boolean {
    return this.#attempt !== null;
  }

  /** Takes note of what the client gets: its response, or a part of the stream. */
  addPassed(piece: Uint8Array | string): void {
    if (!this.isRecording || piece.length === 0 || this.#receivedCharacters > MOST_RECEIVED_CHARACTERS) return;
    const text = typeof piece === "string" ? piece : textOfBytes(piece);
    this.#received.push(text);
    this.#receivedCharacters += text.length;
  }

  /** Adds the call's content, if the configuration enables it. */
  addContent(content: Content): void {
    if (this.#tracing.capturesContent) this.#content = content;
  }

  /** Ends the call's span. */
  end(record: UsageRecord, usage: Usage | null): void {
    if (this.#span.isRecording()) this.#describe(record, usage);
    const now = this.#now();
    this.#attempt?.end(now);
    this.#span.end(now);
  }

  #describe(record: UsageRecord, usage: Usage | null): void {
    const status = record.other.status ?? 200;
    this.#span.setAttributes({
      "http.response.status_code": status,
      "sluice.request.id": record.requestId,
      "sluice.user.id": record.userId,
      "sluice.api_key.id": record.tokenId,
      "sluice.group": record.group,
      "sluice.quota": record.quota,
    });
    const { attempts } = record.other.admin_info ?? { attempts: [] };
    const last = attempts.at(-1);
    if (last && this.#attempt) {
      this.#attempt.setAttributes({ "http.response.status_code": last.status, ...usageAttributes(usage) });
      if (last.firstByteMs !== null) {
        this.#attempt.addEvent("gen_ai.first_token", undefined, this.#at(last.firstByteMs));
      }
      this.#attempt.setAttributes(readable(() => this.#answerAttributes()));
      this.#attempt.setAttributes(readable(() => this.#contentAttributes()));
    }
    if (!record.failed) return;
    fail(this.#span, String(status), record.other.error);
    fail(this.#attempt, record.other.ending ?? "failed", record.other.error);
  }

  /** What the answer says of itself and, where contents are exported, what it says. */
  #answerAttributes(): Attributes {
    if (this.#received.length === 0 || this.#operation !== "chat") return {};
    const reply = answerOf(codecOf(this.#dialect), this.#received.join(""));
    if (!reply) return {};
    return {
      ...(reply.id !== "" && { "gen_ai.response.id": reply.id }),
      ...(reply.model !== "" && { "gen_ai.response.model": reply.model }),
      "gen_ai.response.finish_reasons": finishReasonsOf(reply),
      ...(this.#content && outputAttributes(reply)),
    };
  }

  #contentAttributes(): Attributes {
    return this.#content ? inputAttributes(this.#content.conversation?.() ?? null, this.#content.prompt) : {};
  }

  /** Unix time in milliseconds of a moment of the call. */
  #at(sinceStartMs: number): number {
    return this.#epochMs + this.#startedAtMs + sinceStartMs;
  }

  #now(): number {
    return this.#epochMs + performance.now();
  }
}

/** The attributes of what can be read; what a client or an upstream wrote in a form of its own is not described. */
function readable(read: () => Attributes): Attributes {
  try {
    return read();
  } catch {
    return {};
  }
}

/** What a request demands, in any client's format. */
function requestAttributes(body: JsonObject): Attributes {
  const config = recordOf(body.generationConfig) ?? recordOf(body.generation_config) ?? body;
  const attributes: Attributes = {};
  for (const [attribute, names] of REQUESTED) {
    const value = names.map((name) => numberOf(config[name])).find((number) => number !== null);
    if (value !== undefined && value !== null) attributes[attribute] = value;
  }
  return attributes;
}

/** Attributes of numbers in a request, by their names in clients' formats. */
const REQUESTED: readonly (readonly [attribute: string, names: readonly string[]])[] = [
  ["gen_ai.request.max_tokens", ["max_completion_tokens", "max_output_tokens", "max_tokens", "maxOutputTokens"]],
  ["gen_ai.request.temperature", ["temperature"]],
  ["gen_ai.request.top_p", ["top_p", "topP"]],
  ["gen_ai.request.top_k", ["top_k", "topK"]],
  ["gen_ai.request.seed", ["seed"]],
  ["gen_ai.request.choice.count", ["n", "candidateCount"]],
  ["gen_ai.request.frequency_penalty", ["frequency_penalty", "frequencyPenalty"]],
  ["gen_ai.request.presence_penalty", ["presence_penalty", "presencePenalty"]],
];

/** The host and port of an address. */
function serverAttributes(url: string): Attributes {
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === "https:" || protocol === "wss:" ? 443 : 80;
  return { "server.address": hostname, "server.port": port === "" ? usual : Number(port) };
}

function usageAttributes(usage: Usage | null): Attributes {
  if (!usage) return {};
  return {
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheCreationTokens,
  };
}

function fail(span: Span | null, type: string, message: string | undefined): void {
  span?.setAttribute("error.type", type);
  span?.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
}

const HEADERS = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};
const RECORD = {
  set(headers: Record<string, string>, name: string, value: string) {
    headers[name] = value;
  },
};

/**
 * Names of OpenTelemetry's semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */

/** `gen_ai.operation.name` of a capability. */
export const operationOf = (capability: Capability | TaskCapability): string => OPERATIONS[capability] ?? capability;

const OPERATIONS: Readonly<Partial<Record<Capability | TaskCapability, string>>> = {
  mcp: "execute_tool",
  chat: "chat",
  realtime: "chat",
  live: "generate_content",
  completions: "text_completion",
  embeddings: "embeddings",
  images: "generate_content",
  "image-edits": "generate_content",
  "image-variations": "generate_content",
  speech: "generate_content",
  transcriptions: "generate_content",
  translations: "generate_content",
  drawing: "generate_content",
  music: "generate_content",
  video: "generate_content",
};

/** `gen_ai.provider.name` of a channel type; a provider that the conventions do not list has its own name. */
export const providerNameOf = ({ type, name }: Readonly<{ type: number; name: string }>): string =>
  PROVIDERS[type] ?? name.toLowerCase().replace(/[^a-z0-9]+/g, "_");

const PROVIDERS: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure.ai.openai",
  14: "anthropic",
  24: "gcp.gemini",
  27: "perplexity",
  33: "aws.bedrock",
  34: "cohere",
  41: "gcp.vertex_ai",
  42: "mistral_ai",
  43: "deepseek",
  48: "x_ai",
};
