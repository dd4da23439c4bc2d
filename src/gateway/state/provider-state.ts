import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import type { ChatDialect, Conversation } from "../../formats/conversation/conversation.ts";
import { INTERACTIONS } from "../../formats/gemini-interactions/steps.ts";
import { recordOf, textOf } from "../../formats/json.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { RoutePlan } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { invalidRequest } from "../request/client-body.ts";
import { onTarget } from "../routing/model-fallbacks.ts";
import { lacksFormat, NO_LIMITATIONS } from "../upstream/route.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import { bindThread } from "./message-threads.ts";
import { keyHashOf } from "./objects/request-upstream.ts";
import { findOwners, objectsApart, type Place } from "./references/may-refer.ts";
import { findReferences, type References } from "./references/members.ts";
import { bindCompactions } from "./responses/compactions.ts";
import { narrowChannels, pinChannel } from "./responses/pin-channel.ts";
import { resume } from "./responses/resume.ts";
import type { UsesStores } from "./stores.ts";

/** What these functions work with. */
export type ProviderStateContext = Uses<"channels" | "settings" | "vault"> &
  UsesStores<"objects" | "responses"> &
  Pick<CallTools, "catalog"> &
  Pick<UpstreamTools, "limitations">;

/**
 * Routes a request that refers to something a provider stores (a conversation, a thread, a cached prompt) to a channel
 * that may have it, or inserts what the gateway stores. It never drops such a reference, because the answer would
 * ignore the conversation. A route is bound to its first model whose channels may have it. Rejects GatewayError, the first
 * model's, if no channel can have it.
 */
export function bindState(context: ProviderStateContext, call: Call, route = call.route): Call | Promise<Call> {
  if (route) return bindRoute(context, call, route);
  // Requests in OpenAI's chat format carry the complete conversation. Those of any format may name what is stored.
  if (call.endpoint.codec.dialect === "openai-chat") return bindOwners(context, call);
  return bindConversation(context, call).then((bound) => bindOwners(context, bound));
}

async function bindRoute(context: ProviderStateContext, call: Call, route: RoutePlan): Promise<Call> {
  const failures: unknown[] = [];
  for (const target of route.targets) {
    try {
      return await bindState(context, onTarget(call, target), null);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      failures.push(error);
    }
  }
  throw failures[0];
}

async function bindConversation(context: ProviderStateContext, call: Call): Promise<Call> {
  switch (call.endpoint.codec.dialect) {
    case "openai-responses":
      return bindReferences(context, await bindCompactions(context, await resume(context, call)));
    case INTERACTIONS:
      return bindReferences(context, await resume(context, call));
    case "anthropic":
      return await bindThread(context, bindReferences(context, call));
    default:
      return bindReferences(context, call);
  }
}

/** The reference in a request that only providers of its format can resolve; null if none. */
function referenceIn({ extra, turns }: Pick<Conversation, "extra" | "turns">): string | null {
  const { dialect, members } = extra;
  const named = STATE_MEMBERS[dialect]?.find((name) => isReference(members[name]));
  if (named !== undefined) return named;
  if (dialect !== "openai-responses") return null;
  for (const { parts } of turns)
    for (const part of parts) if (part.type === "native" && REFERENCES.has(part.name)) return part.name;
  return null;
}

/** Items that only their provider can read: references, and conversations that it compacted. */
const REFERENCES: ReadonlySet<string> = new Set(["item_reference", "compaction"]);

/**
 * Members that refer to something the provider stores. A container is referred to by its id; its other options are no
 * reference.
 */
const STATE_MEMBERS: Readonly<Partial<Record<ChatDialect, readonly string[]>>> = {
  "openai-responses": ["conversation", "prompt", "previous_response_id"],
  anthropic: ["thread", "container"],
  gemini: ["cachedContent", "cached_content"],
  // An agent is Google's, as is what a continuation or an environment refers to.
  [INTERACTIONS]: ["agent", "continuation_token", "environment", "previous_interaction_id"],
};

function isReference(value: unknown): boolean {
  const record = recordOf(value);
  return record ? textOf(record.id) !== null || textOf(record.type) !== null : textOf(value) !== null && value !== "";
}

const ROUTED_SEPARATELY: ReadonlySet<string> = new Set(["thread", "previous_response_id", "previous_interaction_id"]);

function bindReferences(context: Pick<CallTools, "catalog"> & Pick<UpstreamTools, "limitations">, call: Call): Call {
  const conversation = call.fullConversation?.();
  const name = conversation && referenceIn(conversation);
  // Threads and earlier responses are routed separately.
  if (!name || ROUTED_SEPARATELY.has(name)) return call;
  const { dialect } = call.endpoint.codec;
  const bound = narrowChannels(call, (channel) => keepsState(context, call, channel, dialect));
  if (!bound) throw lostReference(name);
  return bound;
}

function keepsState(
  context: Pick<CallTools, "catalog"> & Pick<UpstreamTools, "limitations">,
  call: Call,
  channel: ChannelEntry,
  dialect: ChatDialect,
): boolean {
  const chat = providerOf(channel.type)?.chat;
  if (!chat?.formats.includes(dialect)) return false;
  if (dialect === "anthropic") return chat.keepsState !== null;
  if (lacksFormat(context.limitations.get(channel) ?? NO_LIMITATIONS, dialect)) return false;
  const { candidates, summary } = call;
  const model = upstreamModelOf(channel, summary.model, candidates.model);
  const only = chat.formatOf(model, channel.keys[0] ?? "", candidates.model, context.catalog()) ?? dialect;
  return only === dialect;
}

/** Rejects encoding a request in another format if that would lose a reference. Throws GatewayError. */
export function refuseLostReference(conversation: Conversation, dialect: ChatDialect): void {
  const name = conversation.extra.dialect === dialect ? null : referenceIn(conversation);
  if (name !== null) throw lostReference(name);
}

const lostReference = (name: string): GatewayError =>
  new GatewayError(
    400,
    "unsupported_reference",
    { code: "gateway_reference_unsupported", params: { name } },
    { type: "invalid_request_error", param: name },
  );

/**
 * Routes a request, of any format, that names something stored to the channel and key that store it. The channel of files and
 * of parts of earlier answers is only preferred, because the provider may know them in another way. What the gateway does not
 * know is left to the provider. Rejects GatewayError: 404 for what is other users', 503 or 400 if the channel cannot take the
 * call.
 */
export function bindOwners(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
): Call | Promise<Call> {
  const references = findReferences([call.body.json], call.endpoint.rules);
  return references ? bindTo(context, call, references) : call;
}

async function bindTo(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
  references: References,
): Promise<Call> {
  const { objects, files, parts } = await findOwners(context, call.caller, references, false);
  if (objects) return pinTo(context, call, objects, objects.id);
  const preferred = files ?? parts;
  if (!preferred || !isCandidate(call, preferred) || isExcluded(context, call, preferred)) return call;
  return pinTo(context, call, preferred, "");
}

function pinTo(context: Uses<"channels">, call: Call, object: Place, id: string): Call {
  const channel = context.services.channels.get(object.channelId);
  const hasKey = channel?.keys.some((key) => keyHashOf(channel, key) === object.keyHash);
  if (channel?.status !== CHANNEL_STATUS.enabled || !hasKey) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  if (!isCandidate(call, object)) {
    // An earlier response may have been routed elsewhere already.
    if (call.excluded) throw objectsApart();
    const params = { id, model: call.summary.model };
    throw invalidRequest({ code: "gateway_object_model", params });
  }
  if (isExcluded(context, call, object)) throw objectsApart();
  return pinChannel(call, channel, object.keyHash);
}

/** Whether the call may go to the channel that stores the object. */
const isCandidate = ({ candidates }: Call, { channelId }: Place): boolean =>
  candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));

/** Whether something else has bound the call to another key of the same channel. */
function isExcluded({ services }: Uses<"channels">, { excluded }: Call, { channelId, keyHash }: Place): boolean {
  const channel = services.channels.get(channelId);
  const keys = excluded?.keys.get(channelId) ?? [];
  return channel !== undefined && [...keys].some((key) => keyHashOf(channel, key) === keyHash);
}
