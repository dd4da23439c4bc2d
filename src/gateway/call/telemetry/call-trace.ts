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
import type { Usage } from "../../../formats/conversation/reply.ts";
import type { Capability, TaskCapability } from "../../../providers/contract/provider.ts";

export type Tracing = Readonly<{ tracer: Tracer; propagator: TextMapPropagator; capturesContent: boolean }>;

/** What is known about a call when it begins. */
export type TracedCall = Readonly<{
  request: Request;
  endpoint: Readonly<{ capability: Capability | TaskCapability }>;
  summary: Readonly<{ model: string; stream: boolean }>;
}>;

/** The channel and its model name. */
export type TracedRoute = Readonly<{
  provider: Readonly<{ type: number; name: string }>;
  channel: Readonly<{ id: number; name: string }>;
  upstreamModel: string;
}>;

const MAX_CONTENT_CHARACTERS = 65_536;

/**
 * The spans of one call: a server span, and below it a client span for each attempt, which the upstream receives in
 * `traceparent` (https://www.w3.org/TR/trace-context/). A call that is not sampled costs next to nothing and still
 * propagates the trace.
 */
export class CallTrace {
  readonly #tracing: Tracing;
  readonly #operation: string;
  readonly #isStream: boolean;
  /** `performance.now()` at arrival. */
  readonly #startedAtMs: number;
  readonly #context: Context;
  readonly #span: Span;
  #attempt: Span | null = null;
  #attemptContext: Context = ROOT_CONTEXT;

  constructor(tracing: Tracing, { request, endpoint, summary }: TracedCall, startedAtMs: number) {
    this.#tracing = tracing;
    this.#operation = operationOf(endpoint.capability);
    this.#isStream = summary.stream;
    this.#startedAtMs = startedAtMs;
    const parent = tracing.propagator.extract(ROOT_CONTEXT, request.headers, HEADERS);
    this.#span = tracing.tracer.startSpan(
      `gateway ${this.#operation}`,
      {
        kind: SpanKind.SERVER,
        startTime: performance.timeOrigin + startedAtMs,
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
    if (!this.#span.isRecording()) {
      this.#attemptContext = this.#context;
      return;
    }
    this.#attempt?.end();
    this.#attempt = this.#tracing.tracer.startSpan(
      `${this.#operation} ${upstreamModel}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          "gen_ai.operation.name": this.#operation,
          "gen_ai.provider.name": providerNameOf(provider),
          "gen_ai.request.model": upstreamModel,
          "gen_ai.request.stream": this.#isStream,
          "sluice.channel.id": channel.id,
          "sluice.channel.name": channel.name,
        },
      },
      this.#context,
    );
    this.#attemptContext = traces.setSpan(this.#context, this.#attempt);
  }

  /** Adds the trace to the headers of the request to the upstream. */
  inject(headers: Record<string, string>): void {
    this.#tracing.propagator.inject(this.#attemptContext, headers, RECORD);
  }

  /** Ends the span of an attempt that failed before a response was sent to the client. */
  failAttempt({ status, error }: Attempt): void {
    if (status > 0) this.#attempt?.setAttribute("http.response.status_code", status);
    fail(this.#attempt, status > 0 ? String(status) : "no_response", error);
    this.#attempt?.end();
    this.#attempt = null;
  }

  /** Adds the call's content, if the configuration enables it. */
  addContent(prompt: unknown, output: () => string): void {
    if (!this.#tracing.capturesContent || !this.#attempt?.isRecording()) return;
    this.#attempt.setAttribute("gen_ai.input.messages", JSON.stringify(prompt).slice(0, MAX_CONTENT_CHARACTERS));
    this.#attempt.setAttribute("gen_ai.output.messages", output().slice(0, MAX_CONTENT_CHARACTERS));
  }

  /** Ends the call's span. */
  end(record: UsageRecord, usage: Usage | null): void {
    if (this.#span.isRecording()) this.#describe(record, usage);
    this.#attempt?.end();
    this.#span.end();
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
    }
    if (!record.failed) return;
    fail(this.#span, String(status), record.other.error);
    fail(this.#attempt, record.other.ending ?? "failed", record.other.error);
  }

  /** Unix time in milliseconds of a moment of the call. */
  #at(sinceStartMs: number): number {
    return performance.timeOrigin + this.#startedAtMs + sinceStartMs;
  }
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
