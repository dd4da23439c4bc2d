import type { Catalog } from "../../catalog/catalog.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../formats/json.ts";
import { errorOf, isErrorAnswer, readError } from "../../formats/openai-chat/errors.ts";
import { systemMessagesAsUser } from "../../formats/openai-chat/request/developer-role.ts";
import { foldChat, foldCompletion, isEventStream } from "../../formats/openai-chat/response/fold-stream.ts";
import { usageObject } from "../../formats/openai-chat/response/reply.ts";
import {
  countedUsage,
  embeddingUsage,
  errorEventIn,
  errorInPlaceOfAnswer,
  finishErrorBeforeContent,
  finishErrorIn,
  mayContainError,
  replyAsStream,
  serviceTierIn,
  withKnownFinish,
} from "../../formats/openai-chat/response/stream.ts";
import { readUsage, usageIn } from "../../formats/openai-chat/response/usage.ts";
import { outgoingForm } from "../../lib/http/multipart/form-stream.ts";
import { randomId } from "../../lib/http/request-id.ts";
import { indexOfBytes, lastIndexOfBytes, textOfBytes } from "../../lib/values/bytes.ts";
import { spliceTopLevel } from "../../lib/values/json/json-splice.ts";
import type { CallParams, Limitation } from "../../providers/contract/provider.ts";
import { isResponseTo, isStreamOf } from "../../providers/shared/recognize-response.ts";
import { systemPlacement } from "../../providers/shared/system-turns.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import { OutputMeter } from "../money/output-meter.ts";
import { searchToolOf } from "../money/price-usage.ts";
import { mayHaveParts } from "../state/references/keep-parts.ts";
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
    const { provider, channel } = route;
    const ask: CallParams = {
      capability: endpoint.capability,
      dialect: "openai-chat",
      model: route.upstreamModel,
      requestedModel: call.candidates.model,
      stream: summary.stream && !options.neverStreams,
      catalog: options.catalog,
      limitations: options.limitations,
    };
    if (body.form) return { ask, body: await outgoingForm(body.form.parts, { model: ask.model }), dropped: NONE };
    if (options.untouched) return { ask, body: body.text, dropped: NONE };
    const { paramOverride } = channel;
    const placed = this.#placedInstructions(ask.model);
    const preparation = provider.prepare?.(placed ? { ...body.json, ...placed } : body.json, ask) ?? null;
    const model = preparation?.model ?? ask.model;
    const mark = options.forwardedMark?.() ?? null;
    const unknown = endpoint.nonOpenAiMembers?.filter((name) => Object.hasOwn(body.json, name)) ?? NONE;
    const asksUsage =
      ask.stream && this.#isText && !summary.wantsUsage && provider.chat?.streaming.includesUsage === true;
    const renamed = model !== body.json.model;
    const unstreamed = summary.stream && !ask.stream;
    const asIs = unknown.length === 0 && !mark && !placed && !preparation && !asksUsage && !renamed && !unstreamed;
    if (asIs && Object.keys(changes).length === 0 && !paramOverride) return { ask, body: body.text, dropped: NONE };
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
    return {
      ask: model === ask.model ? ask : { ...ask, model },
      body: spliceTopLevel(body.text, all, body.json),
      dropped: preparation ? [...preparation.dropped, ...unknown] : unknown,
      isMarked: mark !== null,
    };
  }

  /** Messages without instructions in their middle, where the upstream takes none; null: as they are. */
  #placedInstructions(model: string): { messages: JsonObject[] } | null {
    const { limitations } = this.options;
    const { service } = this.route;
    if (this.call.endpoint.capability !== "chat") return null;
    // Nothing has been learned of most channels.
    const placement = limitations.size === 0 ? service.systemTurns : systemPlacement(service, model, limitations);
    const messages = placement === "first" ? systemMessagesAsUser(this.call.body.json.messages) : null;
    return messages && { messages };
  }

  findError(body: Uint8Array<ArrayBuffer>): string | null {
    if (!mayContainError(body)) return null;
    if (isEventStream(body)) return errorEventIn(body);
    const text = textOfBytes(body);
    return isErrorAnswer(parseJson(text)) ? text : null;
  }

  findStreamError(block: Uint8Array): string | null {
    const failure = this.#isText ? finishErrorBeforeContent(block) : null;
    if (failure) throw new FailedResponse(failure);
    return errorInPlaceOfAnswer(block);
  }

  statusOf(error: string): number {
    return errorOf(200, parseJson(error))?.status ?? UNKNOWN_FAILURE;
  }

  startsResponse(block: Uint8Array): boolean {
    return isStreamOf(this.call.endpoint.capability, block);
  }

  outcomeOf(bytes: Uint8Array): Outcome {
    return this.#isText ? outcomeOfChat(bytes) : "answered";
  }

  readResponse(received: Uint8Array<ArrayBuffer>, receivedType: string): CompleteResponse | null {
    const { endpoint, body: request } = this.call;
    const { body, contentType } = this.#folded(received, receivedType);
    if (!isResponseTo(endpoint.capability, request.json, body, contentType)) return null;
    this.#refuseFailure(body);
    return this.#read(body, contentType);
  }

  /** Throws FailedResponse if the provider ended the answer as a failure. */
  #refuseFailure(body: Uint8Array<ArrayBuffer>): void {
    const failure = this.#isText ? finishErrorIn(body) : null;
    if (failure) throw new FailedResponse(failure);
  }

  #read(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse {
    const reported = (this.call.endpoint.meter ? this.#metered(body, contentType) : null) ?? extractUsage(body);
    const meter = new OutputMeter();
    const serviceTier = this.#isText ? serviceTierIn(body) : null;
    if (serviceTier !== null) meter.processedAs({ serviceTier });
    // Parses the body only if that decides something: missing usage, an empty response, content logging, a search to
    // charge.
    const decides = !reported || reported.completionTokens === 0 || this.options.logsContent;
    // Audio has an id, by which its owner may refer to it.
    if (decides || mayHaveParts(this.call) || searchToolOf(this.call, this.route) !== null) meter.pushResponse(body);
    const { endpoint, body: request } = this.call;
    const amended = contentType.startsWith("application/json") && endpoint.amend?.(request.json, body);
    if (!this.#isText && isOpenAiEmbedding(endpoint)) {
      const answer = amended ? textOfAmended(amended) : body;
      return { body: this.#completeEmbeddings(answer, reported), contentType, reported, meter };
    }
    if (amended) return { body: textOfAmended(amended), contentType, reported, meter };
    const counted = reported === null && this.#isText ? withCountedUsage(body) : null;
    if (reported && reported.reasoningTokens > 0 && this.#countsReasoningApart)
      return { body: withReasoningCounted(body, reported) ?? body, contentType, reported, meter };
    return { body: counted ?? body, contentType, reported, meter };
  }

  /** The response as JSON, also of an upstream that streams although nobody requested a stream, or that states no JSON. */
  #folded(body: Uint8Array<ArrayBuffer>, contentType: string): { body: Uint8Array<ArrayBuffer>; contentType: string } {
    const { endpoint, summary, requestId, createdAt } = this.call;
    if (!this.#isText) return { body, contentType };
    const json = contentType.includes("json") ? contentType : "application/json";
    if (body[0] === OPEN_BRACE || !isEventStream(body)) return { body: withKnownFinish(body), contentType: json };
    const context = { model: summary.model, requestId, createdAt, newId: randomId };
    const reply = endpoint.capability === "chat" ? foldChat(body, context) : foldCompletion(body);
    const complete = reply ? Buffer.from(JSON.stringify(reply)) : body;
    return { body: withKnownFinish(complete), contentType: "application/json" };
  }

  /** Embeddings with the model and the usage that OpenAI's clients read, where the provider omits them. */
  #completeEmbeddings(body: string | Uint8Array<ArrayBuffer>, reported: Usage | null): CompleteResponse["body"] {
    const hasModel = indexOfBytes(typeof body === "string" ? Buffer.from(body) : body, MODEL_MEMBER) >= 0;
    if (reported && hasModel) return body;
    const text = typeof body === "string" ? body : textOfBytes(body);
    const answer = recordOf(parseJson(text));
    if (!answer) return body;
    const model = answer.model == null && { model: this.call.summary.model };
    if (reported) return spliceTopLevel(text, { ...model }, answer);
    return (billed) => spliceTopLevel(text, { ...model, usage: embeddingUsage(billed) }, answer);
  }

  synthesizeStream(received: Uint8Array<ArrayBuffer>): CompleteResponse | null {
    const { body } = this.#folded(received, "application/json");
    const reply = recordOf(parseJson(textOfBytes(body)));
    const { endpoint, body: request } = this.call;
    if (!reply || !isResponseTo(endpoint.capability, request.json, body, "application/json")) return null;
    if (!this.#isText) {
      const { reported, meter } = this.#read(body, "application/json");
      return { body: responseAsEvents(endpoint.capability, reply), contentType: EVENT_STREAM, reported, meter };
    }
    this.#refuseFailure(body);
    const meter = new OutputMeter();
    meter.pushResponse(body);
    const serviceTier = textOf(reply.service_tier);
    if (serviceTier !== null) meter.processedAs({ serviceTier });
    const reported = usageIn(reply);
    const { wantsUsage } = this.call.summary;
    const events = reported
      ? replyAsStream({ ...reply, usage: reply.usage ?? usageObject(reported) }, wantsUsage)
      : (billed: Usage) => replyAsStream({ ...reply, usage: countedUsage(billed) }, wantsUsage);
    return { body: events, contentType: EVENT_STREAM, reported, meter };
  }

  get #countsReasoningApart(): boolean {
    return this.route.service.countsReasoningApart;
  }

  /** The usage by the endpoint's own rule. */
  #metered(body: Uint8Array<ArrayBuffer>, contentType: string): Usage | null {
    const { endpoint } = this.call;
    const answer = contentType.startsWith("application/json") ? recordOf(parseJson(textOfBytes(body))) : null;
    return endpoint.meter?.(this.call, answer, this.route.price, this.options.catalog) ?? null;
  }

  streamView(): StreamView {
    const { endpoint, summary } = this.call;
    if (this.#isText) return new ChatView(summary.wantsUsage, this.call.requestId, this.#countsReasoningApart);
    const { catalog } = this.options;
    return new EventsView(
      (event) => endpoint.meter?.(this.call, event, this.route.price, catalog) ?? readUsage(event.usage),
    );
  }
}

const textOfAmended = (amended: object | string): string =>
  typeof amended === "string" ? amended : JSON.stringify(amended);

/** Adds the counted usage to a response without any; null if it is no response. */
function withCountedUsage(body: Uint8Array<ArrayBuffer>): ((billed: Usage) => string) | null {
  const text = textOfBytes(body);
  const answer = recordOf(parseJson(text));
  return answer && ((billed) => spliceTopLevel(text, { usage: countedUsage(billed) }, answer));
}

/** The response with usage in which the completion contains its reasoning; null: it is no JSON object. */
function withReasoningCounted(body: Uint8Array<ArrayBuffer>, reported: Usage): string | null {
  const text = textOfBytes(body);
  const answer = recordOf(parseJson(text));
  return answer && spliceTopLevel(text, { usage: { ...recordOf(answer.usage), ...usageObject(reported) } }, answer);
}

/** Whether a call is for embeddings in OpenAI's format. */
export const isOpenAiEmbedding = ({ capability, codec }: Call["endpoint"]): boolean =>
  capability === "embeddings" && codec.dialect === "openai-chat";

const MODEL_MEMBER = Buffer.from('"model"');
const NONE: readonly string[] = [];
const OPEN_BRACE = 123;
const EVENT_STREAM = "text/event-stream; charset=utf-8";

const MAX_USAGE_BYTES = 2_048;
const USAGE_MEMBER = Buffer.from('"usage"');

/**
 * The usage of a complete response: extracts its last usage object without parsing the rest, which may contain long
 * embeddings.
 */
export function extractUsage(body: Uint8Array): Usage | null {
  const key = lastIndexOfBytes(body, USAGE_MEMBER);
  if (key < 0) return null;
  const start = key + USAGE_MEMBER.length;
  const text = textOfBytes(body, start, Math.min(body.length, start + MAX_USAGE_BYTES));
  const object = objectIn(text);
  const quick = object === null ? null : readUsage(parseJson(object));
  return quick ?? usageIn(recordOf(parseJson(textOfBytes(body))));
}

const BEFORE_OBJECT = /^\s*:\s*(?=\{)/;

/**
 * The object after a colon at the beginning; null if there is none, or if it is cut off. Assumes no braces in its
 * strings.
 */
function objectIn(text: string): string | null {
  const before = BEFORE_OBJECT.exec(text);
  if (!before) return null;
  const start = before[0].length;
  let open = 0;
  let opens = start;
  for (let closes = text.indexOf("}", start); closes >= 0; closes = text.indexOf("}", closes + 1)) {
    for (; opens >= 0 && opens < closes; opens = text.indexOf("{", opens + 1)) open += 1;
    open -= 1;
    if (open === 0) return text.slice(start, closes + 1);
  }
  return null;
}
