import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { continuesThread } from "../../formats/anthropic/request/decode-request.ts";
import { hasGatewayMark } from "../../formats/conversation/signature.ts";
import { goesAsItCame } from "../../formats/gemini/request/can-passthrough.ts";
import { spliceTopLevel } from "../../lib/json-splice.ts";
import type { Ask, Provider } from "../../providers/contract/provider.ts";
import type { Call } from "../call/call.ts";
import type { EncodedRequest } from "./adapter.ts";
import type { ConversationOptions } from "./conversation/conversation-options.ts";
import { geminiOptions } from "./conversation/gemini-options.ts";
import { needsPreparation } from "./conversation/prepare-conversation.ts";

/** Requests whose client speaks the upstream's own format. */

/**
 * Whether a request may go as it came but for the members that must change. What was made here stands for what only another
 * maker could prove: then it is written anew.
 */
export function keepsRequest(
  { admitted: { body, summary }, upstreamModel, resumed }: Call,
  { dialect, inlineMedia, prompt, settings }: ConversationOptions,
  stream: boolean,
): boolean {
  return (
    !resumed &&
    dialect !== "openai-chat" &&
    (dialect === "gemini"
      ? goesAsItCame(body.json, settings.modelInfo(upstreamModel))
      : inlineMedia === null && (continuesThread(body.json) || !hasGatewayMark(body.text))) &&
    prompt === null &&
    summary.stream === stream &&
    !needsPreparation(upstreamModel, dialect)
  );
}

/** The client's own bytes, as far as the upstream takes them. Notes on the call what is left out. */
export function untouchedBody(call: Call, provider: Provider, ask: Ask): EncodedRequest["body"] {
  const { body } = call.admitted;
  const envelope = provider.envelope?.(body.json, ask);
  if (!envelope) return body.text;
  call.dropped = envelope.dropped;
  return spliceTopLevel(body.text, envelope.changes, body.json);
}

/** The client's request with the members changed that must be. Notes on the call the final model and what is left out. */
export function splicedRequest(
  call: Call,
  provider: Provider,
  { dialect, settings }: ConversationOptions,
  { paramOverride }: ChannelEntry,
  ask: Ask,
): EncodedRequest {
  const { body } = call.admitted;
  const adaptation = provider.adapt?.(body.json, ask) ?? null;
  if (adaptation) {
    call.upstreamModel = adaptation.model;
    call.dropped = adaptation.dropped;
  }
  const renamed =
    Object.hasOwn(body.json, "model") && call.upstreamModel !== body.json.model ? { model: call.upstreamModel } : null;
  const own = dialect === "gemini" ? geminiOptions(body.json, call.upstreamModel, settings) : null;
  const changes = { ...renamed, ...own, ...adaptation?.changes, ...paramOverride };
  const changed = Object.keys(changes).length > 0;
  return {
    ask: { ...ask, model: call.upstreamModel },
    body: changed ? spliceTopLevel(body.text, changes, body.json) : body.text,
  };
}
