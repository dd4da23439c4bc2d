import { shippedCatalog } from "../../../catalog/catalog.ts";
import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import { type ChatDialect, emptyConversation } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { isErrorAnswer, type ReadError, readError } from "../../../formats/openai-chat/errors.ts";
import { randomId } from "../../../lib/http/request.ts";
import { readEvents } from "../../../lib/http/sse.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import { formatFor, type NativeFormat } from "../../../providers/contract/chat.ts";
import type { CallParams, Provider } from "../../../providers/contract/provider.ts";
import { TokenRefused } from "../../../providers/contract/token-refused.ts";
import { accountProblemOf } from "../../../providers/errors/error-meaning.ts";
import { codecOf } from "../../../providers/registry.ts";
import { isResponseTo, isText } from "../../../providers/shared/recognize-response.ts";
import type { ChannelEntry } from "../entry.ts";
import { withoutKey } from "../keys/keys.ts";
import { upstreamModelOf } from "../routing/routing-index.ts";
import { ownWords } from "../status/own-words.ts";
import { type UpstreamRefusal, upstreamFailure } from "../status/refusal.ts";
import type { ModelKind } from "./model-kind.ts";
import { type Posted, postRequest } from "./post-request.ts";
import { testAudio, testRequest } from "./test-requests.ts";

/** Why a test failed; `refusal`: what the upstream refused it with, null: it did not, or did not answer. */
export type Problem = Readonly<{ message: Reason; refusal: UpstreamRefusal | null }>;

export type TestedModel = Readonly<{
  channel: ChannelEntry;
  provider: Provider;
  kind: ModelKind;
  /** As users name it. */
  requested: string;
  key: string;
}>;

/** An answer that no call would accept. */
const INVALID: Problem = { message: { code: "gateway_invalid" }, refusal: null };
const NO_JSON: Problem = { message: { code: "why_no_json" }, refusal: null };

/** Makes one small real call to the endpoint of the model's kind. Returns what went wrong, or null. */
export async function callModel(fetch: SafeFetch, tested: TestedModel): Promise<Problem | null> {
  const { channel, kind, key } = tested;
  try {
    if (kind === "chat") return await callChat(fetch, tested);
    return kind === "video" ? await orderVideo(fetch, tested) : await callOther(fetch, tested, kind);
  } catch (error) {
    if (error instanceof TokenRefused) return refused(channel, error.status, tokenError(error), key, "");
    const reason = upstreamFailure(error);
    if (reason === null) throw error;
    return { message: reason, refusal: null };
  }
}

const namesOf = ({ channel, requested }: TestedModel) => {
  const bare = requested.startsWith(channel.modelPrefix) ? requested.slice(channel.modelPrefix.length) : requested;
  return { bare, model: upstreamModelOf(channel, requested, bare) };
};

const tokenError = ({ message }: TokenRefused): ReadError => ({
  message,
  type: "authentication_error",
  param: "",
  code: "invalid_api_key",
  shaped: false,
});

async function callChat(fetch: SafeFetch, tested: TestedModel): Promise<Problem | null> {
  const { channel, provider, key, requested } = tested;
  const { bare, model } = namesOf(tested);
  const dialect = formatFor(provider, model, key, bare, undefined, channel.baseUrl);
  const stream = provider.chat?.streaming.mode?.(model) === "always";
  const ask: CallParams = { capability: "chat", dialect, model, stream };
  const body = chatBody(dialect, model, stream);
  const posted = await postRequest(fetch, channel, { provider, key, requestedModel: requested, ask, body });
  const { status, text } = posted;
  if (status !== 200) return refusedAnswer(channel, posted, key);
  return problemInChat(channel, codecOf(dialect), dialect, text, key);
}

/** Answers with status 200 may be errors all the same; those that only stream report it in an event. */
function problemInChat(
  channel: ChannelEntry,
  codec: ProviderCodec,
  dialect: ChatDialect,
  text: string,
  key: string,
): Problem | null {
  const parsed = parseJson(text);
  const events = parsed === undefined ? readEvents(text) : [];
  const reported = parsed === undefined ? events.map(({ data }) => parseJson(data)) : [parsed];
  const failed = reported.map((answer) => codec.decodeError(200, answer)).find((error) => error !== null);
  if (failed) return refused(channel, failed.status, { ...failed, param: failed.param ?? "" }, key, "");
  if (parsed !== undefined) {
    if (isErrorAnswer(parsed)) return refused(channel, 200, readError(200, text), key, "");
    const isOpenAi = dialect === "openai-chat";
    if (isOpenAi && !isResponseTo("chat", {}, Buffer.from(text), "application/json")) return INVALID;
    return replyOf(codec, text, randomId) ? null : INVALID;
  }
  if (!reported.some((answer) => recordOf(answer) !== null)) return NO_JSON;
  const decoder = codec.streamDecoder(randomId);
  const steps = events.flatMap((event) => decoder.push(event));
  const hasContent = steps.some((step) => step.type !== "start" && step.type !== "usage");
  return hasContent && replyOf(codec, text, randomId) ? null : INVALID;
}

/** The smallest conversation there is, in the provider's own format. */
function chatBody(dialect: ChatDialect, model: string, stream: boolean): JsonObject {
  const conversation = { ...emptyConversation(dialect, model), stream };
  conversation.turns.push({ role: "user", parts: [{ type: "text", text: "hi" }] });
  conversation.sampling.maxOutputTokens = model.includes("gemini") ? 300 : model.includes("thinking") ? 50 : 10;
  const info = shippedCatalog.find(model);
  const target = { model, info, defaultMaxTokens: conversation.sampling.maxOutputTokens, newId: randomId };
  const body = codecOf(dialect).encodeRequest(conversation, target, new Set());
  // Some services stream unless the request says not to.
  return dialect === "openai-chat" ? { ...body, stream: false } : body;
}

async function callOther(
  fetch: SafeFetch,
  tested: TestedModel,
  kind: Exclude<ModelKind, "chat" | "video">,
): Promise<Problem | null> {
  const { channel, provider, key, requested } = tested;
  const { bare, model } = namesOf(tested);
  const own = provider.nativeFormat?.({ capability: kind, model }, key) ?? null;
  const request = testRequest(kind, model);
  const audio = kind === "transcriptions" ? [testAudio()] : [];
  const body = own ? own.encode(request, model, new Set(), audio) : request;
  const files = own ? (own.formFiles?.(request, model, audio) ?? null) : audio.length > 0 ? audio : null;
  const urlTail = own?.urlTail?.(request);
  const ask: CallParams = {
    capability: kind,
    dialect: formatFor(provider, model, key, bare),
    model,
    stream: false,
    ...(urlTail !== undefined && { urlTail }),
  };
  const sent = { provider, key, requestedModel: requested, ask, body, ...(files && { files }) };
  const posted = await postRequest(fetch, channel, sent);
  if (posted.status !== 200) return refusedAnswer(channel, posted, key);
  const answer = recordOf(parseJson(posted.text));
  const failure = answer && own?.failure?.(answer);
  if (failure) {
    const error = { ...failure, type: "upstream_error", param: "" };
    return refused(channel, failure.status ?? 200, error, key, posted.request);
  }
  if (answer && isErrorAnswer(answer)) return refused(channel, 200, readError(200, posted.text), key, posted.request);
  return isAcceptable(channel, kind, own, request, body, posted) ? null : answer ? INVALID : NO_JSON;
}

/** Whether a call of this kind would accept the answer. A job that has begun suffices. */
function isAcceptable(
  channel: ChannelEntry,
  kind: ModelKind,
  own: NativeFormat | null,
  request: JsonObject,
  sent: JsonObject,
  { text, bytes, contentType }: Posted,
): boolean {
  const answer = recordOf(parseJson(text));
  const isAudio = kind === "speech" || kind === "songs";
  if (!answer) {
    if (bytes.length === 0 || contentType.includes("json") || isText(bytes, contentType)) return false;
    return own ? own.decodeBytes !== undefined : isAudio;
  }
  if (!own) return isResponseTo(kind, request, Buffer.from(bytes), contentType);
  if (own.pending?.(channel, answer, { sent, first: answer })) return true;
  return own.decode(answer, request, answer) !== null || (own.content?.(answer, request) ?? null) !== null;
}

/** Orders the shortest video that the provider makes; what it makes of the order does not matter. */
async function orderVideo(fetch: SafeFetch, tested: TestedModel): Promise<Problem | null> {
  const { channel, provider, key, requested } = tested;
  const { bare, model } = namesOf(tested);
  const { videos } = provider;
  if (!videos) return INVALID;
  const seconds = videos.defaultSeconds?.(model) ?? SHORTEST_VIDEO_S;
  const prompt = "A red circle on white";
  const order = { model, requestedModel: requested, key, prompt, seconds, size: "", images: [], own: {} };
  const { url, headers, body } = videos.order(channel, order);
  const ask: CallParams = { capability: "video", dialect: formatFor(provider, model, key, bare), model, stream: false };
  const target = { url, ...(headers && { headers }) };
  const posted = await postRequest(fetch, channel, {
    provider: { ...provider, prepare: () => null },
    ...{ key, requestedModel: requested, ask, body, target },
  });
  if (posted.status < 200 || posted.status > 299) return refusedAnswer(channel, posted, key);
  const read = videos.readOrder(parseJson(posted.text));
  if (!("problem" in read)) return null;
  const message = withoutKey(read.problem, key);
  return message === "" ? INVALID : { message, refusal: null };
}

const SHORTEST_VIDEO_S = 4;

const refusedAnswer = (channel: ChannelEntry, { status, text, request }: Posted, key: string): Problem =>
  refused(channel, status, readError(status, text), key, request);

/** `error.status`: what the error means, where that is another status. */
function refused(
  channel: ChannelEntry,
  status: number,
  error: UpstreamRefusal["error"] & Readonly<{ status?: number }>,
  key: string,
  request: string,
): Problem {
  const requestText = () => request;
  const meant = error.status ?? status;
  const accountProblem = accountProblemOf(channel.type, meant, error, ownWords(error.message, requestText));
  return {
    message: withoutKey(`HTTP ${status}: ${error.message}`, key).slice(0, 500),
    refusal: { status: meant, error, accountProblem, requestText },
  };
}
