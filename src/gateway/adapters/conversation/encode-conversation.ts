import type { JsonObject } from "../../../formats/json.ts";
import { spreadNamespaces } from "../../../formats/openai-responses/request/namespaces.ts";
import { customAsFunctions } from "../../../formats/tools/custom-tools.ts";
import { withToolNames } from "../../../formats/tools/tool-names.ts";
import { randomId } from "../../../lib/request-id.ts";
import { providerCodecs } from "../../../providers/codecs.ts";
import type { Ask } from "../../../providers/contract/provider.ts";
import type { Call } from "../../call/call.ts";
import { refuseLostReference } from "../../state/provider-state.ts";
import type { Route } from "../../upstream/bind-channel.ts";
import type { EncodedRequest } from "../adapter.ts";
import { keepsRequest, splicedRequest, untouchedBody } from "../same-format.ts";
import { withChannelPrompt } from "./channel-prompt.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { takesCustomTools } from "./custom-tool-calls.ts";
import { geminiOptions } from "./gemini-options.ts";
import { prepareConversation } from "./prepare-conversation.ts";

/**
 * The request of a chat as the upstream takes it: as it came, with some members changed, or written anew. Rejects RelayError and DecodeError.
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
    provider.streams === "always" ||
    provider.onlyStreams?.(upstreamModel) === true ||
    (summary.stream && !options.neverStreams);
  const ask: Ask = {
    capability: "chat",
    dialect,
    model: upstreamModel,
    requestedModel: candidates.model,
    stream,
    catalog: options.catalog,
    ...(dialect === "anthropic" && betasFor(call, route, options, upstreamModel)),
    ...(dialect === "gemini" && { apiVersion: settings.geminiVersion(upstreamModel, channel.other) }),
  };
  if (endpoint.codec.dialect === dialect) {
    if (options.untouched) return untouchedBody(call, route, ask);
    if (keepsRequest(call, route, options, stream)) return splicedRequest(call, route, options, ask);
  }
  return writtenAnew(call, route, options, ask);
}

async function writtenAnew(call: Call, route: Route, options: ConversationOptions, ask: Ask): Promise<EncodedRequest> {
  const { channel, provider, upstreamModel } = route;
  const { dialect, settings } = options;
  const read = call.fullConversation?.() ?? call.endpoint.codec.decodeRequest(call.body.json);
  refuseLostReference(read, dialect);
  const spread = dialect === "openai-responses" ? read : spreadNamespaces(read);
  const led = withChannelPrompt(spread, options.prompt);
  const prepared = prepareConversation(led, upstreamModel, dialect, settings);
  const dropped = new Set<string>();
  const remembered = options.reasoningMemory.recall(call.caller.user.id, dialect, prepared.conversation);
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
    hidesThoughts: options.reasoningHidden,
    newId: randomId,
  };
  const encoded = providerCodecs[dialect].encodeRequest(conversation, target, dropped);
  const body = dialect === "gemini" ? { ...encoded, ...geminiOptions(encoded, prepared.model, settings) } : encoded;
  const betas = dialect === "anthropic" ? betasFor(call, route, options, prepared.model) : null;
  const { enabled, budgetTokens } = conversation.reasoning;
  const thinksNot = enabled === false || budgetTokens === 0;
  const asked = { ...ask, model: prepared.model, thinksNot, ...betas };
  const adaptation = provider.adapt?.(body, asked) ?? null;
  for (const name of adaptation?.dropped ?? []) dropped.add(name);
  const renamed = adaptation && "model" in body ? { model: adaptation.model } : null;
  const sent: JsonObject = { ...body, ...renamed, ...adaptation?.changes, ...channel.paramOverride };
  return {
    ask: { ...asked, model: adaptation?.model ?? prepared.model },
    body: JSON.stringify(sent),
    dropped: [...dropped],
  };
}

/** Betas of the client's and of the settings', and whether the model takes any. */
function betasFor(
  call: Call,
  { upstreamModel }: Route,
  options: ConversationOptions,
  model: string,
): Pick<Ask, "betas" | "refusesBetas"> {
  const asked = call.request.headers.get("anthropic-beta") ?? "";
  const set = options.settings.headersOf(upstreamModel)?.["anthropic-beta"] ?? "";
  return { betas: `${asked},${set}`.split(","), refusesBetas: options.refusesBetas(model) };
}
