import type { Target } from "../../../formats/conversation/codec.ts";
import { type ChatDialect, withDescribedFormat } from "../../../formats/conversation/conversation.ts";
import { withoutCacheMarks } from "../../../formats/helpers/cache-marks.ts";
import { recordUnwritten } from "../../../formats/helpers/dropped-fields.ts";
import { inClientNames } from "../../../formats/helpers/member-names.ts";
import { unreadValues } from "../../../formats/helpers/unread-values.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { flattenNamespaces } from "../../../formats/openai-responses/request/tools.ts";
import { customAsFunctions } from "../../../formats/tools/custom-tools.ts";
import { withToolNames } from "../../../formats/tools/tool-names.ts";
import { LARGE_BYTES, LongStrings } from "../../../lib/http/json-body.ts";
import { randomId } from "../../../lib/http/request.ts";
import { chatOf, takesCustomTools } from "../../../providers/contract/chat.ts";
import { chatServiceFor } from "../../../providers/contract/facts.ts";
import type { CallParams } from "../../../providers/contract/provider.ts";
import { codecOf } from "../../../providers/registry.ts";
import { systemPlacement } from "../../../providers/shared/system-turns.ts";
import type { Call } from "../../call/call.ts";
import { ruledChanges } from "../../call/overrides.ts";
import type { Route } from "../../call/route.ts";
import { refuseLostReference } from "../../state/conversation-state.ts";
import type { EncodedRequest } from "../../upstream/adapter.ts";
import { canForwardRequest, splicedRequest, unchangedBody } from "../same-format.ts";
import { type ConversationOptions, geminiOptions } from "./conversation-options.ts";
import { markedSession, markMode } from "./forwarded-mark.ts";
import { prepareConversation, withChannelPrompt } from "./prepare-conversation.ts";

/**
 * Encodes a chat request for the upstream: unchanged, with some members changed, or translated. Rejects GatewayError
 * and DecodeError.
 */
export async function encodeConversation(
  call: Call,
  route: Route,
  options: ConversationOptions,
): Promise<EncodedRequest> {
  const { summary, endpoint, candidates } = call;
  const { channel, provider, upstreamModel } = route;
  const { dialect, settings } = options;
  const stream =
    chatOf(provider).streaming.mode?.(upstreamModel, options.catalog) === "always" ||
    (summary.stream && !options.neverStreams);
  const ask: CallParams = {
    capability: "chat",
    dialect,
    model: upstreamModel,
    requestedModel: candidates.model,
    stream,
    catalog: options.catalog,
    limitations: options.limitations,
    ...(dialect === "anthropic" && { betas: betasFor(call, route, options) }),
    ...(dialect === "gemini" && { apiVersion: settings.geminiVersion(upstreamModel, channel.other) }),
  };
  if (endpoint.codec.dialect === dialect) {
    if (options.untouched) return unchangedBody(call, route, ask);
    if (canForwardRequest(call, route, options, stream)) return splicedRequest(call, route, options, ask);
  }
  return encodeFromConversation(call, route, options, ask);
}

async function encodeFromConversation(
  call: Call,
  route: Route,
  options: ConversationOptions,
  ask: CallParams,
): Promise<EncodedRequest> {
  const { channel, provider, upstreamModel } = route;
  const { dialect, settings } = options;
  const read = call.fullConversation?.() ?? call.endpoint.codec.decodeRequest(call.body.json);
  refuseLostReference(read, dialect);
  const spread = dialect === "openai-responses" ? read : flattenNamespaces(read);
  const led = withChannelPrompt(spread, options.prompt);
  const prepared = prepareConversation(led, upstreamModel, dialect, settings);
  const dropped = new Set<string>();
  const remembered = options.reasoningMemory.recall(call.caller.user.id, dialect, prepared.conversation);
  const supported = takesCustomTools(provider, dialect) ? remembered : customAsFunctions(remembered, dropped);
  const toolNamed = { ...withToolNames(supported, options.toolNames), model: prepared.model, stream: ask.stream };
  const conversation = dialect.startsWith("openai") ? toolNamed : withDescribedFormat(toolNamed);
  if (options.inlineMedia) await options.inlineMedia(conversation);
  const service = chatServiceFor(provider, ask);
  const target = {
    model: prepared.model,
    info: settings.modelInfo(prepared.model),
    defaultMaxTokens: settings.defaultMaxTokens(prepared.model, service.reservesOutput),
    service: {
      ...service,
      systemTurns: systemPlacement(service, prepared.model, options.limitations),
    },
    reasoningSummaries: !options.limitations.has("reasoning-summaries"),
    newId: randomId,
  };
  const automatic = marksAutomatically(dialect, target)
    ? options.automaticMarks.mark(conversation, markedSession(call, route), target.info, markMode(route, settings))
    : null;
  const marked = takesCacheMarks(dialect, target) ? conversation : withoutCacheMarks(conversation, dropped);
  const encoded = codecOf(dialect).encodeRequest(automatic ?? marked, target, dropped);
  const body = dialect === "gemini" ? { ...encoded, ...geminiOptions(encoded, prepared.model, settings) } : encoded;
  const preparedAsk = { ...ask, model: prepared.model };
  const preparation = provider.prepare?.(body, preparedAsk) ?? null;
  for (const name of preparation?.dropped ?? []) dropped.add(name);
  const renamed = preparation && "model" in body ? { model: preparation.model } : null;
  const set: JsonObject = { ...body, ...renamed, ...preparation?.changes, ...channel.paramOverride };
  const sent = channel.overrideRules ? { ...set, ...ruledChanges(call, route, set) } : set;
  const long = call.body.size > LARGE_BYTES ? new LongStrings() : null;
  const text = long ? long.stringify(sent) : JSON.stringify(sent);
  recordUnwritten(conversation, text, target, dropped, long);
  const client = call.endpoint.codec.dialect;
  const named = new Set(inClientNames(dropped, client, call.body.json));
  for (const path of unreadValues(client, call.body.json)) named.add(path);
  return {
    ask: { ...preparedAsk, model: preparation?.model ?? prepared.model },
    body: long ? long.body(text, sent) : text,
    dropped: [...named],
    isMarked: automatic !== null,
  };
}

/** Claude alone caches nothing without marks; Converse and the services that took the marks over serve other models, too. */
const marksAutomatically = (dialect: ChatDialect, { model, service }: Target): boolean =>
  /claude/i.test(model) && (dialect === "anthropic" || dialect === "converse" || service?.cacheMarks === true);

/** Formats whose encoders see to cache marks themselves, as far as the model takes them. */
const MARKED: ReadonlySet<ChatDialect> = new Set(["anthropic", "converse", "openai-chat", "openai-responses"]);

const takesCacheMarks = (dialect: ChatDialect, { service }: Target): boolean =>
  MARKED.has(dialect) || service?.cacheMarks === true;

/** Betas that the client and the settings request. */
function betasFor({ request }: Call, { upstreamModel }: Route, { settings }: ConversationOptions): readonly string[] {
  const requested = request.headers.get("anthropic-beta") ?? "";
  const configured = settings.headersOf(upstreamModel)?.["anthropic-beta"] ?? "";
  return `${requested},${configured}`.split(",");
}
