import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import { recordOf, textOf } from "../../formats/json.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { Route } from "../call/route.ts";
import type { Uses } from "../call/services.ts";
import { needsPreparation } from "../request/model-suffix.ts";
import { keyHashOf } from "./objects/request-upstream.ts";
import { narrowChannels, pinChannel } from "./responses/pin-channel.ts";
import type { StoreResponse } from "./responses/store.ts";
import type { UsesStores } from "./stores.ts";

/**
 * Routes Anthropic's message threads: with `thread: {type: "create"}` Anthropic stores a conversation, with `{type:
 * "continue", previous_message_id}` the client sends only the new messages. Only the account that answered knows the
 * conversation, so a continuation returns to that channel and key. If no channel supports threads, the request is
 * rejected with the error on which Anthropic's SDKs resend the whole conversation without a thread; if the thread no
 * longer exists, with the error on which they create it again (`ThreadUnsupportedRequestErrorDetails`,
 * `ThreadNotFoundErrorDetails` of @anthropic-ai/sdk).
 */
export async function bindThread(context: Uses<"settings"> & UsesStores<"responses">, call: Call): Promise<Call> {
  const thread = recordOf(call.body.json.thread);
  if (!thread) return call;
  const keeps = (channel: ChannelEntry) => keepsThreads(channel, call);
  const bound = keepHours(context) === 0 ? null : narrowChannels(call, keeps);
  if (!bound) throw unsupported();
  return thread.type === "continue"
    ? bindContinuation(context, bound, textOf(thread.previous_message_id) ?? "")
    : bound;
}

async function bindContinuation({ services }: UsesStores<"responses">, call: Call, messageId: string): Promise<Call> {
  const { caller, candidates } = call;
  const stored = await services.responses.find(storeKey(messageId), caller.user.id, nowSeconds());
  const channel = candidates.tiers.flatMap(({ channels }) => channels).find(({ id }) => id === stored?.channelId);
  const key = channel?.keys.find((one) => keyHashOf(channel, one) === stored?.keyHash);
  const isOpen = channel?.status === CHANNEL_STATUS.enabled && key !== undefined && !channel.disabledKeys.has(key);
  if (!stored || !channel || !isOpen) throw notFound(messageId);
  return pinChannel({ ...call, resumedMasked: stored.masked ?? null }, channel, stored.keyHash);
}

/** Remembers which channel and key answered in a thread; null if the request has none. */
export function threadStorer(
  context: Uses<"settings"> & UsesStores<"responses">,
  call: Call,
  { channel, key }: Route,
  request: Conversation,
): StoreResponse | null {
  const hours = keepHours(context);
  if (!recordOf(request.extra.members.thread) || hours === 0) return null;
  return (reply) => {
    if (reply.id === "") return;
    const now = nowSeconds();
    const masked = call.guard?.masked();
    context.services.responses.keep({
      id: storeKey(reply.id),
      userId: call.caller.user.id,
      channelId: channel.id,
      keyHash: keyHashOf(channel, key),
      isNative: true,
      turns: [],
      body: {},
      ...(masked && { masked }),
      createdAt: now,
      expiresAt: now + hours * 3600,
    });
  };
}

/** Messages and responses share one store, so their keys have different prefixes. */
const storeKey = (messageId: string): string => `thread:${messageId}`;

const keepHours = ({ services }: Uses<"settings">): number => services.settings.values["responses.keep_hours"];

/**
 * Anthropic's own API supports threads. For other base URLs only the operator knows, because compatible services ignore
 * the member and would answer without the conversation. The request must be forwarded unchanged: Anthropic rejects a
 * system prompt in a continuation, and encoding the request again would separate tool results from their calls.
 */
function keepsThreads(channel: ChannelEntry, call: Call): boolean {
  const { candidates, summary } = call;
  const { setting } = channel;
  const isDeclared = typeof setting.message_threads === "boolean";
  return (
    providerOf(channel.type)?.chat?.keepsState?.(channel, isDeclared ? setting.message_threads === true : null) ===
      true &&
    (textOf(setting.system_prompt) ?? "") === "" &&
    setting.stream_support !== "NON_STREAM_ONLY" &&
    !needsPreparation(upstreamModelOf(channel, summary.model, candidates.model), "anthropic")
  );
}

const unsupported = (): GatewayError =>
  new GatewayError(
    400,
    "thread_unsupported_request",
    { code: "gateway_threads_unsupported" },
    {
      type: "invalid_request_error",
      param: "thread",
      extra: {
        dialect: "anthropic",
        members: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
      },
    },
  );

const notFound = (messageId: string): GatewayError =>
  new GatewayError(
    404,
    "thread_not_found",
    { code: "gateway_thread_unknown", params: { id: messageId } },
    {
      type: "not_found_error",
      param: "thread",
      extra: { dialect: "anthropic", members: { details: { error_code: "thread_not_found" } } },
    },
  );
