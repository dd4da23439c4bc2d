import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { ChatDialect, Conversation } from "../../formats/conversation/conversation.ts";
import { thinkingToContent } from "../../formats/conversation/reasoning-to-content.ts";
import { isTakenAddress } from "../../formats/gemini/parts.ts";
import { spreadNamespaces } from "../../formats/openai-responses/request/namespaces.ts";
import { customNames } from "../../formats/tools/custom-tools.ts";
import { toolAliases } from "../../formats/tools/tool-names.ts";
import { listsSearch } from "../../formats/tools/web-search.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { searchesAlways } from "../../providers/labs/openai/chat-search.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { threadStorer } from "../state/message-threads.ts";
import { responseStorer } from "../state/responses/keep.ts";
import type { Route } from "../upstream/bind-channel.ts";
import type { Adapter } from "./adapter.ts";
import { channelPromptOf } from "./conversation/channel-prompt.ts";
import { customToolCalls, takesCustomTools } from "./conversation/custom-tool-calls.ts";
import { inlineMedia } from "./conversation/inline-media.ts";
import { needsPreparation } from "./conversation/prepare-conversation.ts";
import { clientNames } from "./conversation/tool-names.ts";
import { NativeAdapter } from "./native-adapter.ts";
import { PassthroughAdapter } from "./passthrough-adapter.ts";
import { TranslatingAdapter } from "./translating-adapter.ts";
import { FilteredTexts } from "./views/filtered-texts.ts";
import { responseFilters } from "./views/response-word-filter.ts";
import type { StepFilter } from "./views/step-filter.ts";

const NONE: ReadonlySet<string> = new Set();
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** How this call crosses to this channel: as bytes wherever its client and the upstream speak the same and nothing must change. */
export function selectAdapter(context: GatewayContext, call: Call, route: Route): Adapter {
  const { channel, key, provider, upstreamModel } = route;
  const { settings } = context.services;
  const { endpoint } = call;
  const options = {
    untouched:
      settings.get("global.pass_through_request_enabled") || channel.setting.pass_through_body_enabled === true,
    neverStreams: provider.streams === "never" || channel.setting.stream_support === "NON_STREAM_ONLY",
    logsContent: settings.get("LogChatContentEnabled"),
    catalog: context.catalog(),
  };
  if (endpoint.capability !== "chat") {
    const own = provider.ownFormat?.({ capability: endpoint.capability, model: upstreamModel }, key);
    const mostBytes = context.services.config.maxRequestBodyBytes;
    if (own) return new NativeAdapter(call, route, own, mostBytes);
    const passage = new PassthroughAdapter(call, route, options);
    const filters = endpoint.capability === "completions" ? responseFilters(settings) : [];
    return filters.length > 0 ? new FilteredTexts(passage, filters) : passage;
  }
  const door = endpoint.codec.dialect;
  const only = provider.dialectOf?.(upstreamModel, key, call.candidates.model) ?? null;
  const served = only ?? (searchesByResponses(call, route, door) ? "openai-responses" : door);
  const dialect = speaks(context, channel, provider, served) ? served : provider.dialects[0];
  const standsIn =
    door.startsWith("openai") && !takesCustomTools(provider, dialect) && !(dialect === door && options.untouched);
  const custom = standsIn ? customNames(call.body.json) : NONE;
  const filters = filtersFor(settings, channel, door, custom);
  const prompt = channelPromptOf(channel);
  const rewritten =
    prompt !== null ||
    provider.ownAnswers === true ||
    filters.length > 0 ||
    channel.setting.force_format === true ||
    (!call.summary.stream && provider.onlyStreams?.(upstreamModel) === true) ||
    needsPreparation(upstreamModel, dialect);
  if (door === "openai-chat" && dialect === door && !rewritten && !provider.framing) {
    return new PassthroughAdapter(call, route, options);
  }
  const conversation = dialect === door ? null : (call.fullConversation?.() ?? null);
  const toolNames = conversation ? toolAliases(spreadNamespaces(conversation)) : NO_NAMES;
  return new TranslatingAdapter(call, route, {
    ...options,
    dialect,
    toolNames,
    settings: context.conversationSettings,
    refusesBetas: (model) => context.withoutBetas.get(channel)?.has(model) === true,
    reasoningHidden: context.withoutSummaries.has(channel),
    inlineMedia: inlining(context, provider, dialect),
    filters: toolNames.size > 0 ? [clientNames(toolNames), ...filters] : filters,
    prompt,
    reasoningMemory: context.reasoningMemory,
    storeResponse: (request) =>
      dialect === "anthropic" && request.extra.dialect === "anthropic"
        ? threadStorer(context, call, route, request)
        : responseStorer(context, call, route, request, dialect === "openai-responses" && !call.isResumed),
  });
}

const speaks = (
  { withoutResponses }: GatewayContext,
  channel: ChannelEntry,
  { dialects }: Provider,
  dialect: ChatDialect,
) => dialects.includes(dialect) && !(dialect === "openai-responses" && withoutResponses.has(channel));

/** Where another format's client wants the web searched, OpenAI does so in Responses, but for chat models that always search. */
const searchesByResponses = (call: Call, { provider, upstreamModel }: Route, door: ChatDialect): boolean =>
  !door.startsWith("openai") &&
  provider.dialects.includes("openai-responses") &&
  !provider.dialects.includes(door) &&
  !searchesAlways(upstreamModel) &&
  listsSearch(call.body.json.tools);

/** Some upstreams fetch nothing; chats have addresses for images, but none for documents. */
function inlining(
  context: GatewayContext,
  { inlineMedia: fetchesNothing }: Provider,
  dialect: ChatDialect,
): ((conversation: Conversation) => Promise<void>) | null {
  const takes = dialect === "gemini" ? isTakenAddress : undefined;
  if (fetchesNothing) return (conversation) => inlineMedia(context, conversation, undefined, takes);
  return dialect === "openai-chat" ? (conversation) => inlineMedia(context, conversation, ["document"]) : null;
}

/** What changes answers on their way: thoughts that become text, functions in place of free-text tools, words not allowed. */
function filtersFor(
  settings: SettingsReader,
  channel: ChannelEntry,
  door: ChatDialect,
  custom: ReadonlySet<string>,
): readonly (() => StepFilter)[] {
  const tellsThoughts = channel.setting.thinking_to_content === true && door === "openai-chat";
  const filters = responseFilters(settings);
  if (!tellsThoughts && custom.size === 0) return filters;
  return [
    ...(tellsThoughts ? [thinkingToContent] : []),
    ...(custom.size > 0 ? [customToolCalls(custom)] : []),
    ...filters,
  ];
}
