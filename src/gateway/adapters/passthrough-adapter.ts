import type { Catalog } from "../../catalog/catalog.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../formats/json.ts";
import { errorOf, isErrorAnswer, readError } from "../../formats/openai-chat/errors.ts";
import { systemMessagesAsUser } from "../../formats/openai-chat/request/developer-role.ts";
import { foldChat, foldCompletion, isEventStream } from "../../formats/openai-chat/response/fold-stream.ts";
import {
  isObjectWith,
  mayContainError,
  readFinishes,
  serviceTierIn,
} from "../../formats/openai-chat/response/inspect.ts";
import { usageObject } from "../../formats/openai-chat/response/reply.ts";
import {
  beginsContent,
  countedUsage,
  embeddingUsage,
  errorEventIn,
  replyAsStream,
} from "../../formats/openai-chat/response/stream.ts";
import { readUsage, usageIn, usageInBytes } from "../../formats/openai-chat/response/usage.ts";
import { bodyOfTexts, LARGE_BYTES } from "../../lib/http/json-body.ts";
import { outgoingForm } from "../../lib/http/multipart/form-stream.ts";
import { randomId } from "../../lib/http/request.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { splicedPieces, spliceTopLevel } from "../../lib/values/json/json-splice.ts";
import type { CallParams, Limitation } from "../../providers/contract/provider.ts";
import { isResponseTo } from "../../providers/shared/recognize-response.ts";
import { systemPlacement } from "../../providers/shared/system-turns.ts";
import type { Call } from "../call/call.ts";
import { ruledChanges } from "../call/overrides.ts";
import type { Route } from "../call/route.ts";
import { OutputMeter } from "../money/output-meter.ts";
import { searchToolOf } from "../money/price-usage.ts";
import {
  type Adapter,
  type CompleteResponse,
  type EncodedRequest,
  FailedResponse,
  type Outcome,
  type StreamView,
  UNKNOWN_FAILURE,
} from "../upstream/adapter.ts";
import { outcomeOfChat } from "./outcome.ts";
import { ChatView } from "./views/chat-view.ts";
import { EventsView, responseAsEvents } from "./views/events-view.ts";

/** Options of passing a request through. */
export type AdapterOptions = Readonly<{
  /** Forward the body unchanged (global.pass_through_request_enabled). */
  untouched: boolean;
  /** What is known about models. */
  catalog: Catalog;
  /** Never request a stream from the upstream, even if the client wants one. */
  neverStreams: boolean;
  /** Contents are logged, so responses must be parsed. */
  logsContent: boolean;
  /** Features that the channel is known not to support. */
  limitations: ReadonlySet<Limitation>;
  /** The members that mark a prefix to cache where the client marks none; absent: nothing is marked. */
  forwardedMark?: () => JsonObject | null;
}>;

/**
 * Handles OpenAI's formats on upstreams that speak them: bytes pass through both ways unchanged. The request changes
 * only where necessary: model name, fields the provider rejects, requested usage, the channel's overrides.
 */
export class PassthroughAdapter implements Adapter {
  readonly readError = readError;

  /** The capability streams chat chunks; all others have events of their own. */
  readonly #isText: boolean;

  constructor(
    private readonly call: Call,
    private readonly route: Route,
    private readonly options: AdapterOptions,
  ) {
    const { capability } = call.endpoint;
    this.#isText = capability === "chat" || capability === "completions";
  }

  async encode(): Promise<EncodedRequest> {
    const { call, route, options } = this;
    const { body, summary, changes, endpoint } = call;
    const { provider, service, channel } = route;
    const { limitations } = options;
    const ask: CallParams = {
      capability: endpoint.capability,
      dialect: "openai-chat",
      model: route.upstreamModel,
      requestedModel: call.candidates.model,
      stream: summary.stream && !options.neverStreams,
      catalog: options.catalog,
      limitations,
    };
    if (body.form) return { ask, body: await outgoingForm(body.form.parts, { model: ask.model }), dropped: NONE };
    if (options.untouched) return { ask, body: body.text, dropped: NONE };
    const { paramOverride, overrideRules } = channel;
    // Messages without instructions in their middle, where the upstream takes none. Nothing has been learned of most channels.
    const placement = limitations.size === 0 ? service.systemTurns : systemPlacement(service, ask.model, limitations);
    const isPlaced = endpoint.capability === "chat" && placement === "first";
    const messages = isPlaced ? systemMessagesAsUser(body.json.messages) : null;
    const placed = messages && { messages };
    const preparation = provider.prepare?.(placed ? { ...body.json, ...placed } : body.json, ask) ?? null;
    const model = preparation?.model ?? ask.model;
    const mark = options.forwardedMark?.() ?? null;
    const unknown = endpoint.nonOpenAiMembers?.filter((name) => Object.hasOwn(body.json, name)) ?? NONE;
    const asksUsage =
      ask.stream && this.#isText && !summary.wantsUsage && provider.chat?.streaming.includesUsage === true;
    const renamed = model !== body.json.model;
    const unstreamed = summary.stream && !ask.stream;
    const asIs = unknown.length === 0 && !mark && !placed && !preparation && !asksUsage && !renamed && !unstreamed;
    if (asIs && Object.keys(changes).length === 0 && !paramOverride && !overrideRules)
      return { ask, body: body.text, dropped: NONE };
    const all = {
      ...changes,
      ...placed,
      ...mark,
      ...preparation?.changes,
      ...Object.fromEntries(unknown.map((name) => [name, undefined])),
      ...(renamed && { model }),
      ...(unstreamed && { stream: undefined, stream_options: undefined }),
      ...(asksUsage && { stream_options: { ...recordOf(body.json.stream_options), include_usage: true } }),
      ...paramOverride,
    };
    const ruled = overrideRules && ruledChanges(call, route, { ...body.json, ...all });
    const changed = ruled ? { ...all, ...ruled } : all;
    const pieces = splicedPieces(body.text, changed, body.json);
    return {
      ask: model === ask.model ? ask : { ...ask, model },
      body: body.size <= LARGE_BYTES ? pieces.join("") : bodyOfTexts(pieces, { ...body.json, ...changed }),
      dropped: preparation ? [...preparation.dropped, ...unknown] : unknown,
      isMarked: mark !== null,
    };
  }

  findError(body: Buffer<ArrayBuffer>): string | null {
    if (!mayContainError(body)) return null;
    if (isEventStream(body)) return errorEventIn(body);
    const text = textOfBytes(body);
    return isErrorAnswer(parseJson(text)) ? text : null;
  }

  findStreamError(block: Buffer): string | null {
    const failure = this.#isText ? readFinishes(block).failure : null;
    if (failure && !beginsContent(block)) throw new FailedResponse(failure, usageInBytes(block));
    return errorEventIn(block, true);
  }

  statusOf(error: string): number {
    return errorOf(200, parseJson(error))?.status ?? UNKNOWN_FAILURE;
  }

  startsResponse(block: Buffer): boolean {
    return block.includes(this.#isText ? CHOICES_MEMBER : TYPE_MEMBER);
  }

  outcomeOf(bytes: Uint8Array): Outcome {
    return this.#isText ? outcomeOfChat(bytes) : "answered";
  }

  readResponse(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null {
    if (!this.#isText) return this.#readMedia(body, contentType);
    const bytes = this.#readJson(body);
    if (!bytes) return null;
    const { call, route, options } = this;
    const serviceTier = serviceTierIn(bytes);
    const reported = usageInBytes(bytes);
    const meter = new OutputMeter();
    if (serviceTier !== null) meter.processedAs({ serviceTier });
    // Parses the body only if that decides something: missing usage, an empty response, content logging, audio, which has
    // an id by which its owner may refer to it, or a search to charge.
    const decides = !reported || reported.completionTokens === 0 || options.logsContent || call.body.json.audio != null;
    if (decides || searchToolOf(call, route) !== null) meter.pushResponse(bytes);
    const addsReasoning = reported !== null && reported.reasoningTokens > 0 && route.service.countsReasoningApart;
    const amended = !reported ? withCountedUsage(bytes) : addsReasoning ? withReasoningCounted(bytes, reported) : null;
    const jsonType = contentType.includes("json") ? contentType : JSON_TYPE;
    return { body: amended ?? bytes, contentType: jsonType, reported, meter };
  }

  /**
   * The chat or text completion as JSON with OpenAI's finish reasons, also of an upstream that streams although nobody requested
   * a stream; null if it is none. Throws FailedResponse if the provider ended it as a failure.
   */
  #readJson(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | null {
    const isStream = body[0] !== OPEN_BRACE && isEventStream(body);
    const { bytes, failure } = readFinishes(isStream ? this.#folded(body) : body);
    if (!isObjectWith(CHAT_MEMBERS, bytes)) return null;
    if (failure) throw new FailedResponse(failure, usageInBytes(bytes));
    return bytes;
  }

  /** The response of a call that is neither a chat nor a text completion. */
  #readMedia(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null {
    const { endpoint, body: request } = this.call;
    if (!isResponseTo(endpoint.capability, request.json, body, contentType)) return null;
    const isJson = contentType.startsWith("application/json");
    const answer = endpoint.meter && isJson ? recordOf(parseJson(textOfBytes(body))) : null;
    const metered = endpoint.meter?.(this.call, answer, this.route.price, this.options.catalog) ?? null;
    const reported = metered ?? usageInBytes(body);
    const meter = new OutputMeter();
    const decides = !reported || reported.completionTokens === 0 || this.options.logsContent;
    if (decides || searchToolOf(this.call, this.route) !== null) meter.pushResponse(body);
    const amended = isJson && endpoint.amend?.(request.json, body);
    const written = !amended ? body : typeof amended === "string" ? amended : JSON.stringify(amended);
    const complete = isOpenAiEmbedding(endpoint) ? this.#completeEmbeddings(written, reported) : written;
    return { body: complete, contentType, reported, meter };
  }

  /** The response that the events of a stream make. */
  #folded(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const { endpoint, summary, requestId, createdAt } = this.call;
    const context = { model: summary.model, requestId, createdAt, newId: randomId };
    const reply = endpoint.capability === "chat" ? foldChat(body, context) : foldCompletion(body);
    return reply ? Buffer.from(JSON.stringify(reply)) : body;
  }

  /** Embeddings with the model and the usage that OpenAI's clients read, where the provider omits them. */
  #completeEmbeddings(body: string | Buffer<ArrayBuffer>, reported: Usage | null): CompleteResponse["body"] {
    const hasModel = typeof body === "string" ? body.includes('"model"') : body.includes(MODEL_MEMBER);
    if (reported && hasModel) return body;
    const text = typeof body === "string" ? body : textOfBytes(body);
    const answer = recordOf(parseJson(text));
    if (!answer) return body;
    const model = answer.model == null && { model: this.call.summary.model };
    if (reported) return spliceTopLevel(text, { ...model }, answer);
    return (billed) => spliceTopLevel(text, { ...model, usage: embeddingUsage(billed) }, answer);
  }

  synthesizeStream(body: Buffer<ArrayBuffer>): CompleteResponse | null {
    if (!this.#isText) {
      const complete = this.#readMedia(body, JSON_TYPE);
      const answer = complete && recordOf(parseJson(textOfBytes(body)));
      const { capability } = this.call.endpoint;
      return answer && { ...complete, body: responseAsEvents(capability, answer), contentType: EVENT_STREAM };
    }
    const bytes = this.#readJson(body);
    const reply = bytes && recordOf(parseJson(textOfBytes(bytes)));
    if (!reply) return null;
    const meter = new OutputMeter();
    meter.pushResponse(bytes);
    const serviceTier = textOf(reply.service_tier);
    if (serviceTier !== null) meter.processedAs({ serviceTier });
    const reported = usageIn(reply);
    const { wantsUsage } = this.call.summary;
    const events = reported
      ? replyAsStream({ ...reply, usage: reply.usage ?? usageObject(reported) }, wantsUsage)
      : (billed: Usage) => replyAsStream({ ...reply, usage: countedUsage(billed) }, wantsUsage);
    return { body: events, contentType: EVENT_STREAM, reported, meter };
  }

  streamView(): StreamView {
    const { endpoint, summary, requestId } = this.call;
    if (this.#isText) return new ChatView(summary.wantsUsage, requestId, this.route.service.countsReasoningApart);
    const { catalog } = this.options;
    return new EventsView(
      (event) => endpoint.meter?.(this.call, event, this.route.price, catalog) ?? readUsage(event.usage),
    );
  }
}

/** Adds the counted usage to a response without any; null if it is no response. */
function withCountedUsage(body: Buffer<ArrayBuffer>): ((billed: Usage) => string) | null {
  const text = textOfBytes(body);
  const answer = recordOf(parseJson(text));
  return answer && ((billed) => spliceTopLevel(text, { usage: countedUsage(billed) }, answer));
}

/** The response with usage in which the completion contains its reasoning; null: it is no JSON object. */
function withReasoningCounted(body: Buffer<ArrayBuffer>, reported: Usage): string | null {
  const text = textOfBytes(body);
  const answer = recordOf(parseJson(text));
  return answer && spliceTopLevel(text, { usage: { ...recordOf(answer.usage), ...usageObject(reported) } }, answer);
}

/** Whether a call is for embeddings in OpenAI's format. */
export const isOpenAiEmbedding = ({ capability, codec }: Call["endpoint"]): boolean =>
  capability === "embeddings" && codec.dialect === "openai-chat";

const MODEL_MEMBER = Buffer.from('"model"');
/** What a chat or text completion has, and what the events of any other stream have. */
const CHOICES_MEMBER = Buffer.from('"choices"');
const CHAT_MEMBERS = [CHOICES_MEMBER];
const TYPE_MEMBER = Buffer.from('"type"');
const NONE: readonly string[] = [];
const OPEN_BRACE = 123;
const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream; charset=utf-8";
