import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { spreadNamespaces } from "../../../formats/openai-responses/request/namespaces.ts";
import { customAsFunctions } from "../../../formats/tools/custom-tools.ts";
import { withToolNames } from "../../../formats/tools/tool-names.ts";
import { randomId } from "../../../lib/request-id.ts";
import { providerCodecs } from "../../../providers/codecs.ts";
import type { Ask, Provider } from "../../../providers/contract/provider.ts";
import type { Call } from "../../call/call.ts";
import { refuseLostReference } from "../../state/provider-state.ts";
import type { EncodedRequest } from "../adapter.ts";
import { keepsRequest, splicedRequest, untouchedBody } from "../same-format.ts";
import { withChannelPrompt } from "./channel-prompt.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { takesCustomTools } from "./custom-tool-calls.ts";
import { geminiOptions } from "./gemini-options.ts";
import { prepareConversation } from "./prepare-conversation.ts";

/**
 * The request of a chat as the upstream takes it: as it came, with some members changed, or written anew. Notes on the call
 * the final model and what is left out. Rejects RelayError and DecodeError.
 */
export async function encodeConversation(
  call: Call,
  provider: Provider,
  options: ConversationOptions,
  channel: ChannelEntry,
): Promise<EncodedRequest> {
  const { summary, endpoint, candidates } = call.admitted;
  const { dialect, settings } = options;
  const stream =
    provider.streams === "always" ||
    provider.onlyStreams?.(call.upstreamModel) === true ||
    (summary.stream && !options.wholeOnly);
  const ask: Ask = {
    capability: "chat",
    dialect,
    model: call.upstreamModel,
    requestedModel: candidates.model,
    stream,
    catalog: options.catalog,
    ...(dialect === "anthropic" && betasFor(call, options, call.upstreamModel)),
    ...(dialect === "gemini" && { apiVersion: settings.geminiVersion(call.upstreamModel, channel.other) }),
  };
  if (endpoint.codec.dialect === dialect) {
    if (options.untouched) return { ask, body: untouchedBody(call, provider, ask) };
    if (keepsRequest(call, options, stream)) return splicedRequest(call, provider, options, channel, ask);
  }
  return writtenAnew(call, provider, options, channel, ask);
}

async function writtenAnew(
  call: Call,
  provider: Provider,
  options: ConversationOptions,
  channel: ChannelEntry,
  ask: Ask,
): Promise<EncodedRequest> {
  const { admitted } = call;
  const { dialect, settings } = options;
  const read = call.chat ?? admitted.endpoint.codec.decodeRequest(admitted.body.json);
  refuseLostReference(read, dialect);
  const spread = dialect === "openai-responses" ? read : spreadNamespaces(read);
  const led = withChannelPrompt(spread, options.prompt);
  const prepared = prepareConversation(led, call.upstreamModel, dialect, settings);
  const dropped = new Set<string>();
  const remembered = options.thoughts.recall(admitted.caller.user.id, dialect, prepared.conversation);
  const said = takesCustomTools(provider, dialect) ? remembered : customAsFunctions(remembered, dropped);
  const conversation = { ...withToolNames(said, options.toolNames), model: prepared.model, stream: ask.stream };
  if (options.inlineMedia) await options.inlineMedia(conversation);
  const target = {
    model: prepared.model,
    info: settings.modelInfo(prepared.model),
    defaultMaxTokens: settings.defaultMaxTokens(prepared.model),
    searches: provider.searchesChats === true,
    marksCache: provider.marksCache === true,
    combinesTools: provider.combinesTools === true,
    hidesThoughts: options.hidesThoughts,
    newId: randomId,
  };
  const encoded = providerCodecs[dialect].encodeRequest(conversation, target, dropped);
  const body = dialect === "gemini" ? { ...encoded, ...geminiOptions(encoded, prepared.model, settings) } : encoded;
  const betas = dialect === "anthropic" ? betasFor(call, options, prepared.model) : null;
  const { enabled, budgetTokens } = conversation.reasoning;
  const thinksNot = enabled === false || budgetTokens === 0;
  const asked = { ...ask, model: prepared.model, thinksNot, ...betas };
  const adaptation = provider.adapt?.(body, asked) ?? null;
  for (const name of adaptation?.dropped ?? []) dropped.add(name);
  call.upstreamModel = adaptation?.model ?? prepared.model;
  call.dropped = [...dropped];
  const renamed = adaptation && "model" in body ? { model: adaptation.model } : null;
  const sent: JsonObject = { ...body, ...renamed, ...adaptation?.changes, ...channel.paramOverride };
  return { ask: { ...asked, model: call.upstreamModel }, body: JSON.stringify(sent) };
}

/** Betas of the client's and of the settings', and whether the model takes any. */
function betasFor(call: Call, options: ConversationOptions, model: string): Pick<Ask, "betas" | "refusesBetas"> {
  const asked = call.admitted.request.headers.get("anthropic-beta") ?? "";
  const set = options.settings.headersOf(call.upstreamModel)?.["anthropic-beta"] ?? "";
  return { betas: `${asked},${set}`.split(","), refusesBetas: options.refusesBetas(model) };
}
