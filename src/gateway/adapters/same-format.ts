import type { ModelInfo } from "../../catalog/catalog.ts";
import { continuesThread } from "../../formats/anthropic/request/decode-request.ts";
import { hasGatewayMark } from "../../formats/conversation/signature.ts";
import { canPassThrough } from "../../formats/gemini/request/can-passthrough.ts";
import { inClientNames } from "../../formats/helpers/member-names.ts";
import { type JsonObject, recordsOf } from "../../formats/json.ts";
import { bodyOfTexts, LARGE_BYTES } from "../../lib/http/json-body.ts";
import { splicedPieces, spliceTopLevel, type TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import { chatOf } from "../../providers/contract/chat.ts";
import type { CallParams, Provider } from "../../providers/contract/provider.ts";
import type { Call } from "../call/call.ts";
import type { ClientBody } from "../call/endpoint.ts";
import { ruledChanges } from "../call/overrides.ts";
import type { Route, SentBody } from "../call/route.ts";
import { needsPreparation } from "../request/model-suffix.ts";
import type { EncodedRequest } from "../upstream/adapter.ts";
import { type ConversationOptions, geminiOptions } from "./conversation/conversation-options.ts";
import { forwardedMark } from "./conversation/forwarded-mark.ts";

/** Encodes requests whose client speaks the upstream's own format. */

/**
 * Whether a request can be forwarded with only the necessary members changed. If it contains values that this gateway
 * made in place of another provider's, it must be encoded again.
 */
export function canForwardRequest(
  { body, summary, isResumed }: Call,
  { upstreamModel, service }: Route,
  { dialect, inlineMedia, limitations, prompt, settings }: ConversationOptions,
  stream: boolean,
): boolean {
  const isRejected = limitations.has(`system-turns:${upstreamModel}`);
  return (
    !isResumed &&
    dialect !== "openai-chat" &&
    (dialect === "gemini"
      ? canPassThrough(body.json, settings.modelInfo(upstreamModel), service)
      : inlineMedia === null &&
        (continuesThread(body.json) || !hasGatewayMark(body.text)) &&
        (dialect !== "anthropic" || takesInstructions(body.json, settings.modelInfo(upstreamModel), isRejected))) &&
    prompt === null &&
    summary.stream === stream &&
    !needsPreparation(upstreamModel, dialect)
  );
}

/** Whether the model takes the request's instructions where they stand, if any stand between messages. */
function takesInstructions({ messages }: JsonObject, info: ModelInfo, isRejected: boolean): boolean {
  return (
    !(isRejected || info.mid_conversation_system === false) ||
    !recordsOf(messages).some(({ role }) => role === "system")
  );
}

/** The client's bytes, if the upstream accepts them unchanged. */
export function unchangedBody({ body }: Call, { provider }: Route, ask: CallParams): EncodedRequest {
  const envelope = chatOf(provider).envelope(body.json, ask);
  if (!envelope) return { ask, body: body.text, dropped: [] };
  return { ask, body: splicedBody(body, envelope.changes, provider), dropped: envelope.dropped };
}

/** The client's request with the necessary members changed. */
export function splicedRequest(
  call: Call,
  route: Route,
  options: ConversationOptions,
  ask: CallParams,
): EncodedRequest {
  const { body } = call;
  const { provider, channel } = route;
  const { dialect, settings } = options;
  const preparation = provider.prepare?.(body.json, ask) ?? null;
  const model = preparation?.model ?? ask.model;
  const renamed = Object.hasOwn(body.json, "model") && model !== body.json.model ? { model } : null;
  const own = dialect === "gemini" ? geminiOptions(body.json, model, settings) : null;
  const mark = forwardedMark(call, route, options);
  const changes = { ...renamed, ...own, ...mark, ...preparation?.changes, ...channel.paramOverride };
  const ruled = channel.overrideRules && ruledChanges(call, route, { ...body.json, ...changes });
  const all = ruled ? { ...changes, ...ruled } : changes;
  const changed = Object.keys(all).length > 0;
  return {
    ask: { ...ask, model },
    body: changed ? splicedBody(body, all, provider) : body.text,
    dropped: inClientNames(preparation?.dropped ?? [], dialect, body.json),
    isMarked: mark !== null,
  };
}

/** The client's text with some members changed. A large one is sent in pieces, unless a signature must cover it. */
function splicedBody(
  { text, size, json }: ClientBody,
  changes: TopLevelChanges,
  { sign }: Pick<Provider, "sign">,
): SentBody {
  if (size <= LARGE_BYTES || sign) return spliceTopLevel(text, changes, json);
  return bodyOfTexts(splicedPieces(text, changes, json), { ...json, ...changes });
}
