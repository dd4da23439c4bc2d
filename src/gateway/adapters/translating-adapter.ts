import { withCacheRead } from "../../formats/anthropic/response/cache-read.ts";
import type { ProviderCodec } from "../../formats/conversation/codec.ts";
import { type Reply, ReplyCollector, replyOf, stepsOf } from "../../formats/conversation/collect-reply.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { ReplyContext, ReplyError, ReplyEvent, Usage } from "../../formats/conversation/reply.ts";
import { clientError } from "../../formats/helpers/client-error.ts";
import { finishError } from "../../formats/helpers/finish-reasons.ts";
import { type JsonObject, parseJson, textOf } from "../../formats/json.ts";
import { type ReadError, readError } from "../../formats/openai-chat/errors.ts";
import { isEventStream } from "../../formats/openai-chat/response/fold-stream.ts";
import { randomId } from "../../lib/http/request.ts";
import { eventEnd, readEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { chatOf, framingOf } from "../../providers/contract/chat.ts";
import { contextOverflowOf } from "../../providers/errors/context-overflow.ts";
import { codecOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import { applyFilters } from "../call/guardrails/answer/step-filter.ts";
import type { Route } from "../call/route.ts";
import { OutputMeter } from "../money/output-meter.ts";
import { toErrorObject } from "../request/error-response.ts";
import { completeOverflow } from "../routing/describe-failure.ts";
import { isRetryable } from "../routing/router.ts";
import {
  EMPTY_REPLY,
  findRunningInStream,
  findRunningResponse,
  refuseUnstoredBackground,
} from "../state/responses/background.ts";
import type { StoreResponse } from "../state/responses/store.ts";
import { type StoredFormat, storedFormatOf } from "../state/responses/stored-formats.ts";
import {
  type Adapter,
  type CompleteResponse,
  type EncodedRequest,
  FailedResponse,
  type Outcome,
  type StreamView,
  UNKNOWN_FAILURE,
} from "../upstream/adapter.ts";
import type { ConversationOptions } from "./conversation/conversation-options.ts";
import { encodeConversation } from "./conversation/encode-conversation.ts";
import { outcomeOfConversation } from "./outcome.ts";
import { ConversationView } from "./views/conversation-view.ts";

/** Whether an event carries information: some decoders begin with any object. */
const hasContent = (step: ReplyEvent): boolean => step.type !== "start" || step.id !== "" || step.model !== "";

/** The error of an answer that its provider ended as a failure; null: it ended otherwise, or not yet. */
function failureIn(steps: readonly ReplyEvent[], format: string): ReplyError | null {
  const failed = steps.find((step) => step.type === "finish" && step.reason === "error");
  return failed?.type === "finish" ? finishError(format, failed.native ?? "error", failed.message) : null;
}

/**
 * Decodes a chat in the client's format, encodes it in the upstream's, and the response in the other direction. If both
 * formats are the same and nothing must change, bytes pass through and are only observed.
 */
export class TranslatingAdapter implements Adapter {
  readonly #codec: ProviderCodec;

  constructor(
    private readonly call: Call,
    private readonly route: Route,
    private readonly options: ConversationOptions,
  ) {
    this.#codec = codecOf(options.dialect);
  }

  async encode(): Promise<EncodedRequest> {
    if (this.#backgroundFormat) refuseUnstoredBackground(this.#keeper() !== null);
    return encodeConversation(this.call, this.route, this.options);
  }

  readError(status: number, body: string): ReadError {
    const known = this.#codec.decodeError(status, parseJson(body));
    if (!known) return readError(status, body);
    return { ...known, param: known.param ?? "", shaped: true };
  }

  findError(body: Uint8Array<ArrayBuffer>): string | null {
    const text = textOfBytes(body);
    const parsed = parseJson(text);
    // Not JSON: events of a collected stream.
    if (parsed === undefined) return this.#errorAmong(text);
    return this.#codec.decodeError(200, parsed) ? text : null;
  }

  findStreamError(block: Uint8Array): string | null {
    const decoder = this.#codec.streamDecoder(randomId);
    let usage: Usage | null = null;
    // Event by event: the first with information decides, and the block may contain half the response.
    for (let from = 0; from < block.length; ) {
      const end = eventEnd(block, from);
      for (const event of readEvents(textOfBytes(block, from, end))) {
        if (this.#codec.decodeError(200, parseJson(event.data))) return event.data;
        const steps = decoder.push(event);
        const failure = failureIn(steps, this.#codec.dialect);
        for (const step of steps) if (step.type === "usage") usage = step.usage;
        if (failure && this.#refuses(failure)) throw new FailedResponse(failure, usage);
        if (steps.some(({ type }) => type !== "start" && type !== "usage")) return null;
      }
      from = end;
    }
    return null;
  }

  startsResponse(block: Uint8Array): boolean {
    const decoder = this.#codec.streamDecoder(randomId);
    return readEvents(textOfBytes(block)).some((event) => decoder.push(event).some(hasContent));
  }

  findBackgroundResponse(first: Uint8Array): JsonObject | null {
    return this.#running(findRunningInStream, first);
  }

  /** A background response that is still running, stored so that the client can retrieve it. */
  #running(find: typeof findRunningResponse, bytes: Uint8Array): JsonObject | null {
    const format = this.#backgroundFormat;
    const running = format && find(format, bytes);
    if (running) this.#keeper()?.(EMPTY_REPLY, textOf(running.id) ?? "", null);
    return running;
  }

  #errorAmong(events: string): string | null {
    const failed = readEvents(events).find(({ data }) => this.#codec.decodeError(200, parseJson(data)));
    return failed?.data ?? null;
  }

  outcomeOf(bytes: Uint8Array): Outcome {
    return outcomeOfConversation(this.#codec, bytes);
  }

  statusOf(error: string): number {
    return this.#codec.decodeError(200, parseJson(error))?.status ?? UNKNOWN_FAILURE;
  }

  readResponse(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse | null {
    const running = this.#running(findRunningResponse, body);
    if (running) return { body, contentType, reported: null, meter: new OutputMeter(), background: running };
    const steps = this.#read(body);
    if (!steps) return null;
    const { collected, meter } = this.#collect(steps);
    const { reply } = collected;
    if (this.#passesBytes && !isEventStream(body)) {
      this.#keep(reply);
      const written = this.#amend?.(body) ?? body;
      const json = contentType.includes("json") ? contentType : "application/json";
      return { body: written, contentType: json, reported: reply.usage, meter: meter };
    }
    const keep = this.#keeper();
    const write = (usage: Usage): string => {
      const reported = { ...reply, usage };
      const answer = this.call.endpoint.codec.encodeReply(reported, this.#context(), this.#conversation());
      keep?.(reported, textOf(answer.id) ?? "", answer);
      return JSON.stringify(answer);
    };
    const written = reply.usage ? write(reply.usage) : write;
    return { body: written, contentType: "application/json", reported: reply.usage, meter: meter };
  }

  synthesizeStream(body: Uint8Array<ArrayBuffer>): CompleteResponse | null {
    const { codec } = this.call.endpoint;
    const running = this.#running(findRunningResponse, body);
    if (running) {
      return {
        body: this.#backgroundFormat?.begin(running) ?? "",
        contentType: codec.streamType,
        reported: null,
        meter: new OutputMeter(),
        background: running,
      };
    }
    const steps = this.#read(body);
    if (!steps) return null;
    const { collected, meter, filtered } = this.#collect(steps);
    const encoder = codec.streamEncoder(this.#context(), this.#conversation());
    const { reply } = collected;
    const write = (usage: Usage): string => {
      this.#keep({ ...reply, usage });
      return filtered.map((step) => encoder.push(step)).join("") + encoder.end(usage);
    };
    const written = reply.usage ? write(reply.usage) : write;
    return { body: written, contentType: codec.streamType, reported: reply.usage, meter: meter };
  }

  streamView(): StreamView {
    const { endpoint } = this.call;
    return new ConversationView({
      decoder: this.#codec.streamDecoder(randomId),
      encoder: endpoint.codec.streamEncoder(this.#context(), this.#conversation()),
      passesBytes: this.#passesBytes,
      amend: this.#amend,
      watch: this.#watch(),
      keep: this.#keeper() ? (reply) => this.#keep(reply) : null,
      filters: this.options.filters.map((make) => make()),
      failureIn: (steps) => failureIn(steps, this.#codec.dialect),
      clientError: (error) => this.#clientError(error),
    });
  }

  #clientError(error: ReplyError | GatewayError): ReplyError {
    const { dialect } = this.call.endpoint.codec;
    if (error instanceof GatewayError) return toErrorObject(error, dialect);
    const { channel, upstreamModel: model } = this.route;
    const found = contextOverflowOf(channel.type, error.status, error);
    const overflow =
      found && completeOverflow(found, this.options.catalog, { model, promptBound: this.call.promptBound });
    return clientError(dialect, overflow ? { ...error, overflow } : error);
  }

  /** The format of a response that the upstream makes in the background; null: it is an ordinary one. */
  get #backgroundFormat(): StoredFormat | null {
    const isRequested = this.#sameFormat && this.call.body.json.background === true;
    return isRequested ? storedFormatOf(this.options.dialect) : null;
  }

  #keeper(): StoreResponse | null {
    return this.options.storeResponse?.(this.#conversation()) ?? null;
  }

  /** Stores a reply: only its id if the upstream has the conversation, else with a complete response body. */
  #keep(reply: Reply): void {
    const keep = this.#keeper();
    if (!keep) return;
    if (this.#passesBytes && !this.call.isResumed) keep(reply, reply.id, null);
    else {
      const body = this.call.endpoint.codec.encodeReply(reply, this.#context(), this.#conversation());
      keep(reply, textOf(body.id) ?? "", body);
    }
  }

  /** Observes reasoning to remember it. Clients of the upstream's own format send reasoning back by themselves. */
  #watch(): ((step: ReplyEvent) => void) | null {
    const { reasoningMemory: memory, dialect } = this.options;
    return this.#sameFormat ? null : memory.observe(this.call.caller.user.id, dialect);
  }

  get #sameFormat(): boolean {
    return this.call.endpoint.codec.dialect === this.options.dialect;
  }

  /** Whether bytes pass through: a stream of the same format with another framing must be encoded again. */
  get #passesBytes(): boolean {
    const { codec } = this.call.endpoint;
    const sameFraming =
      !framingOf(chatOf(this.route.provider), this.options.dialect) && codec.streamType.startsWith("text/event-stream");
    return (
      this.#sameFormat && this.options.filters.length === 0 && this.options.dialect !== "openai-chat" && sameFraming
    );
  }

  /**
   * Whether an answer that ended as a failure fails the attempt. Clients of the provider's own format read its own word instead,
   * unless another channel may answer.
   */
  #refuses({ status }: ReplyError): boolean {
    return !this.#passesBytes || (isRetryable({ status }) && this.route.hasAlternative?.() === true);
  }

  /** What clients of the same format need changed in bytes that pass through; null: nothing. */
  get #amend(): ((bytes: Uint8Array) => string | null) | null {
    return this.options.dialect === "anthropic" ? withCacheRead : null;
  }

  #read(body: Uint8Array<ArrayBuffer>): Iterable<ReplyEvent> | null {
    const reply = replyOf(this.#codec, textOfBytes(body), randomId);
    return reply && stepsOf(reply);
  }

  #collect(steps: Iterable<ReplyEvent>): { collected: ReplyCollector; meter: OutputMeter; filtered: ReplyEvent[] } {
    const filters = this.options.filters.map((make) => make());
    let failure: ReplyError | null = null;
    const collected = new ReplyCollector();
    const meter = new OutputMeter();
    const filtered: ReplyEvent[] = [];
    const watch = this.#watch();
    for (const step of steps) {
      meter.step(step);
      watch?.(step);
      failure ??= failureIn([step], this.#codec.dialect);
      for (const passed of applyFilters(filters, step)) {
        collected.push(passed);
        filtered.push(passed);
      }
    }
    const hasFailed = collected.reply.choices.every(({ finish }) => finish.reason === "error");
    if (failure && hasFailed && this.#refuses(failure)) throw new FailedResponse(failure, collected.reply.usage);
    return { collected, meter, filtered };
  }

  #conversation(): Conversation {
    const { conversation, endpoint, body } = this.call;
    return conversation?.() ?? endpoint.codec.decodeRequest(body.json);
  }

  #context(): ReplyContext {
    const { call } = this;
    return {
      model: call.summary.model,
      requestId: call.requestId,
      createdAt: call.createdAt,
      newId: randomId,
    };
  }
}
