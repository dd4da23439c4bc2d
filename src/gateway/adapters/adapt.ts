import type { ChatDialect, Conversation } from "../../formats/conversation/conversation.ts";
import type { ChatService } from "../../formats/conversation/service.ts";
import { isFetchableUrl, isNamedFile } from "../../formats/gemini/parts.ts";
import { INTERACTIONS } from "../../formats/gemini-interactions/steps.ts";
import { thinkingToContent } from "../../formats/helpers/reasoning-to-content.ts";
import { isTriggered } from "../../formats/openai-responses/compaction.ts";
import { flattenNamespaces } from "../../formats/openai-responses/request/tools.ts";
import { customNames } from "../../formats/tools/custom-tools.ts";
import { toolAliases } from "../../formats/tools/tool-names.ts";
import { listsSearch } from "../../formats/tools/web-search.ts";
import { type ChatApi, chatOf, framingOf, takesCustomTools } from "../../providers/contract/chat.ts";
import type { Limitation } from "../../providers/contract/provider.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import { answersValues } from "../call/guardrails/answer/answer-kinds.ts";
import { answerFilters, answerObservers, completeGuardrails } from "../call/guardrails/answer/guard-answer.ts";
import { AnswerReview } from "../call/guardrails/answer/review-answer.ts";
import type { StepFilter } from "../call/guardrails/answer/step-filter.ts";
import type { BackgroundContext } from "../call/guardrails/services/ask-in-background.ts";
import type { Route } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { type BodyMemory, takeMemory } from "../request/body-memory.ts";
import { tooLarge } from "../request/client-body.ts";
import { withPreferencesFor } from "../routing/prefer-channels.ts";
import { threadStorer } from "../state/message-threads.ts";
import { codeOfSummary, keepCompactions } from "../state/responses/compactions.ts";
import { responseStorer } from "../state/responses/store.ts";
import type { UsesStores } from "../state/stores.ts";
import type { AdaptedRequest, Adapter } from "../upstream/adapter.ts";
import { boundedNames, buildRequest, lacksFormat, NO_LIMITATIONS, signRequest } from "../upstream/route.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import { nativeCompaction, summarizingCall, summarizingCompaction, watchCompactions } from "./compaction.ts";
import { forwardedMark } from "./conversation/forwarded-mark.ts";
import { inlineMedia } from "./conversation/inline-media.ts";
import { channelPromptOf } from "./conversation/prepare-conversation.ts";
import { clientNames, customToolCalls } from "./conversation/tool-names.ts";
import { NativeAdapter } from "./native-adapter.ts";
import { type AdapterOptions, PassthroughAdapter } from "./passthrough-adapter.ts";
import type { AdapterTools } from "./tools.ts";
import { TranslatingAdapter } from "./translating-adapter.ts";
import { observeChat, observeCompletion, observingAdapter } from "./views/observing-adapter.ts";
import { readChat, readCompletion, reviewingAdapter } from "./views/reviewing-adapter.ts";
import { TextFilterAdapter } from "./views/text-filter-adapter.ts";
import { valuesFilter } from "./views/values-filter.ts";

/** What these functions work with. */
export type AdaptContext = Uses<"config" | "settings" | "vault"> &
  BodyMemory &
  UsesStores<"responses"> &
  BackgroundContext &
  Pick<CallTools, "catalog"> &
  Pick<UpstreamTools, "clientMediaFetch" | "limitations" | "signing"> &
  AdapterTools;

/**
 * Writes the call's request in the format of its route; returns it with the route's final model name and dropped fields. Rejects
 * DecodeError, GatewayError.
 */
export async function adapt(context: AdaptContext, received: Call, bound: Route): Promise<AdaptedRequest> {
  const call = received.preferences ? withPreferencesFor(received, bound) : received;
  const adapter = selectAdapter(context, call, bound);
  const encoded = await adapter.encode();
  const { ask } = encoded;
  const dropped = encoded.dropped.length === 0 ? NOTHING : boundedNames(encoded.dropped);
  const logsContent = context.services.settings.values.LogChatContentEnabled;
  const isAsBound = ask.model === bound.upstreamModel && dropped.length === 0 && !encoded.isMarked;
  const adapted = isAsBound
    ? bound
    : { ...bound, upstreamModel: ask.model, dropped, ...(encoded.isMarked && { isMarked: true }) };
  const route = logsContent ? { ...adapted, sent: encoded.body } : adapted;
  const refusal = dropped.length > 0 ? refusalOfLoss(call, dropped) : null;
  const unsigned = buildRequest(context, call, encoded, bound);
  const outgoing = bound.provider.sign && !refusal ? await signRequest(context, unsigned, bound) : unsigned;
  return { adapter, ask, outgoing, route, refusal };
}

const NOTHING: readonly string[] = [];

/** The error of a request with dropped fields, if the client or its key asks for that (header `X-Sluice-Strict`); else null. */
function refusalOfLoss({ caller, request }: Call, dropped: readonly string[]): GatewayError | null {
  if (!caller.token?.strict && !isOn(request.headers.get("x-sluice-strict"))) return null;
  const names = dropped.join(", ");
  return new GatewayError(
    400,
    "unsupported_parameters",
    { code: "gateway_inexpressible", params: { names } },
    {
      type: "invalid_request_error",
      param: dropped[0] ?? "",
    },
  );
}

const isOn = (header: string | null): boolean =>
  header !== null && header !== "" && header !== "0" && header !== "false";

const NONE: ReadonlySet<string> = new Set();
const NO_FILTERS: readonly (() => StepFilter)[] = [];
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * Selects the adapter for a call and channel: passthrough wherever client and upstream speak the same format and nothing must
 * change. `part`: *own*, the client's request as it is; *inner*, without the compaction for which it asks; *rewritten*, its
 * conversation is not the one in its body.
 */
export function selectAdapter(
  context: AdaptContext,
  call: Call,
  route: Route,
  part: "own" | "inner" | "rewritten" = "own",
): Adapter {
  const { channel, key, provider, service, upstreamModel } = route;
  const { settings } = context.services;
  const clientFormat = call.endpoint.codec.dialect;
  // The other formats have no compaction.
  const compaction = part === "own" && clientFormat === "openai-responses" ? compactionIn(call) : null;
  if (compaction) return selectCompacting(context, call, route, compaction);
  const catalog = context.catalog();
  const { chat } = provider;
  const streamMode = chat?.streaming.mode?.(upstreamModel, catalog);
  // The body names another model than the call's, or several among which the gateway chooses.
  const choosesModels = call.fallbackFrom !== null || call.fallbacks.length > 0 || call.preferences !== null;
  const options = {
    untouched:
      part !== "rewritten" &&
      !choosesModels &&
      (settings.values["global.pass_through_request_enabled"] || channel.setting.pass_through_body_enabled === true),
    neverStreams: streamMode === "never" || channel.setting.stream_support === "NON_STREAM_ONLY",
    logsContent: call.keepsText || settings.values.LogChatContentEnabled,
    limitations: context.limitations.get(channel) ?? NO_LIMITATIONS,
    catalog,
  };
  if (call.endpoint.capability !== "chat" || !chat) return selectForOther(context, call, route, options);
  const only = chat.formatAt?.(channel.baseUrl) ?? chat.formatOf(upstreamModel, key, call.candidates.model, catalog);
  // A client of another format searches the web through the Responses API where the provider's chat completions cannot.
  const searchesInResponses =
    !clientFormat.startsWith("openai") &&
    !chat.formats.includes(clientFormat) &&
    chat.searchesInResponses(upstreamModel, catalog) &&
    listsSearch(call.body.json.tools);
  const served = only ?? (searchesInResponses ? "openai-responses" : clientFormat);
  const { limitations } = options;
  const dialect = supports(chat, limitations, served) ? served : chat.formats[0];
  const standsIn =
    (call.body.json.tools != null || Array.isArray(call.body.json.input)) &&
    clientFormat.startsWith("openai") &&
    !takesCustomTools(provider, dialect) &&
    !(dialect === clientFormat && options.untouched);
  const custom = standsIn ? customNames(call.body.json) : NONE;
  const reasoningInContent = channel.setting.thinking_to_content === true && clientFormat === "openai-chat";
  const review = call.guard ? reviewOf(context, call) : null;
  const observers = call.guard ? answerObservers(context, call) : NO_FILTERS;
  // Reasoning as text, functions in place of free-text tools, what guardrails decide.
  const filters = [
    ...(review ? [review.filter] : []),
    ...(reasoningInContent ? [thinkingToContent] : []),
    ...(custom.size > 0 ? [customToolCalls(custom)] : []),
    ...(call.guard ? answerFilters(call) : NO_FILTERS),
  ];
  const prompt = channel.setting.system_prompt === undefined ? null : channelPromptOf(channel);
  const rewritten =
    prompt !== null ||
    service.nonstandardResponses ||
    filters.length > 0 ||
    channel.setting.force_format === true ||
    (!call.summary.stream && streamMode === "always");
  const isFramed = chat.streaming.framing !== null && framingOf(chat, dialect) !== null;
  // A stream in a frame of its own is read where it is translated.
  if (isFramed) filters.push(...observers);
  const observed = (adapter: Adapter): Adapter =>
    observers.length > 0 && !isFramed ? observingAdapter(adapter, observeChat(dialect), observers) : adapter;
  if (clientFormat === "openai-chat" && dialect === clientFormat && !rewritten && !isFramed) {
    if (!service.topMark) return observed(new PassthroughAdapter(call, route, options));
    const marks = { automaticMarks: context.automaticMarks, settings: context.conversationSettings };
    const marked = { ...options, forwardedMark: () => forwardedMark(call, route, marks) };
    return observed(new PassthroughAdapter(call, route, marked));
  }
  const conversation = dialect === clientFormat ? null : (call.fullConversation?.() ?? null);
  // The next turn continues all of it, and its values are masked again.
  const unmasked = () => call.guard?.unmasked?.() ?? call.fullConversation?.();
  const toolNames = conversation ? toolAliases(flattenNamespaces(conversation)) : NO_NAMES;
  const translating = new TranslatingAdapter(call, route, {
    ...options,
    dialect,
    toolNames,
    settings: context.conversationSettings,
    inlineMedia: mediaInliner(context, service, dialect),
    filters: toolNames.size > 0 ? [clientNames(toolNames), ...filters] : filters,
    prompt,
    reasoningMemory: context.reasoningMemory,
    automaticMarks: context.automaticMarks,
    storeResponse: (request) =>
      dialect === "anthropic" && request.extra.dialect === "anthropic"
        ? threadStorer(context, call, route, request)
        : responseStorer(context, call, route, unmasked() ?? request, dialect === clientFormat && !call.isResumed),
  });
  return observed(review ? reviewingAdapter(translating, readChat(dialect), review) : translating);
}

/** The adapter of a call that is no chat. */
function selectForOther(context: AdaptContext, call: Call, route: Route, options: AdapterOptions): Adapter {
  const { key, provider, upstreamModel } = route;
  const { config } = context.services;
  const { capability } = call.endpoint;
  const own = provider.nativeFormat?.({ capability, model: upstreamModel }, key);
  const loadable = config.maxRequestBodyBytes;
  const take = (bytes: number) => {
    if (bytes > loadable) throw tooLarge(loadable);
    takeMemory(context, call.request, bytes);
  };
  const native = own && new NativeAdapter(call, route, own, options.catalog, take);
  const filtersValues = call.guard !== null && answersValues(call);
  if (native) return filtersValues ? valuesFilter(context, native, call) : native;
  const passthrough = new PassthroughAdapter(call, route, options);
  if (filtersValues) return valuesFilter(context, passthrough, call);
  if (!call.guard || capability !== "completions") return passthrough;
  const review = reviewOf(context, call);
  const filters = [...(review ? [review.filter] : []), ...answerFilters(call)];
  const filtered = filters.length > 0 ? new TextFilterAdapter(passthrough, filters) : passthrough;
  const reviewed = review ? reviewingAdapter(filtered, readCompletion, review) : filtered;
  const observers = answerObservers(context, call);
  return observers.length > 0 ? observingAdapter(reviewed, observeCompletion, observers) : reviewed;
}

/** What reviews the complete answer of a guarded call before its client gets it; null: nothing does. */
function reviewOf(context: BackgroundContext, call: Call): AnswerReview | null {
  const guardrails = completeGuardrails(call);
  return guardrails.length > 0 ? new AnswerReview(context, call, guardrails) : null;
}

/** How a client of the Responses API asks for a compaction: by the endpoint, by its input, or when the conversation gets long. */
type Compaction = "endpoint" | "trigger" | "automatic";

/** The adapter that also compacts the conversation, or has its provider do so. */
function selectCompacting(context: AdaptContext, call: Call, route: Route, compaction: Compaction): Adapter {
  const limitations = context.limitations.get(route.channel) ?? NO_LIMITATIONS;
  if (compactsNatively(call, route, limitations)) {
    const inner = selectAdapter(context, call, route, "inner");
    const keep = (output: unknown) => keepCompactions(context, call, route, output);
    const isEndpoint = compaction === "endpoint";
    return isEndpoint ? nativeCompaction(call, route, inner, limitations, keep) : watchCompactions(inner, keep);
  }
  // A provider without compaction leaves a long conversation as it is.
  if (compaction === "automatic") return selectAdapter(context, call, route, "inner");
  const inner = selectAdapter(context, summarizingCall(call), route, "rewritten");
  return summarizingCompaction(call, inner, (summary) => codeOfSummary(context.services, summary));
}

function compactsNatively(
  { candidates }: Call,
  { provider, service, upstreamModel, key }: Route,
  limitations: ReadonlySet<Limitation>,
): boolean {
  const chat = chatOf(provider);
  const isServed = (chat.formatOf(upstreamModel, key, candidates.model) ?? "openai-responses") === "openai-responses";
  return (
    service.compaction && isServed && supports(chat, limitations, "openai-responses") && !limitations.has("compaction")
  );
}

/** The compaction that a client asks for; null: none. */
function compactionIn({ endpoint, body }: Call): Compaction | null {
  if (endpoint.compacts) return "endpoint";
  if (isTriggered(body.json.input)) return "trigger";
  const { context_management: management } = body.json;
  return Array.isArray(management) && management.length > 0 ? "automatic" : null;
}

const supports = ({ formats }: ChatApi, limitations: ReadonlySet<Limitation>, format: ChatDialect): boolean =>
  formats.includes(format) && (limitations.size === 0 || !lacksFormat(limitations, format));

/** Fetches media for upstreams that cannot; the chat format has URLs for images, but none for documents. */
function mediaInliner(
  context: Pick<UpstreamTools, "clientMediaFetch">,
  { inlineMediaOnly, fetchesMedia }: ChatService,
  dialect: ChatDialect,
): ((conversation: Conversation) => Promise<void>) | null {
  // Google fetches the files of an interaction itself.
  if (dialect === INTERACTIONS) return null;
  const takes: Parameters<typeof inlineMedia>[3] =
    dialect === "gemini"
      ? ({ url, mediaType }) => isFetchableUrl(url) || (fetchesMedia && isNamedFile(url, mediaType))
      : undefined;
  if (inlineMediaOnly) return (conversation) => inlineMedia(context, conversation, undefined, takes);
  return dialect === "openai-chat" ? (conversation) => inlineMedia(context, conversation, ["document"]) : null;
}
