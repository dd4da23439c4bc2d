import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import type { ChatDialect, Conversation } from "../../formats/conversation/conversation.ts";
import { INTERACTIONS } from "../../formats/gemini-interactions/steps.ts";
import { recordOf, textOf } from "../../formats/json.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { lacksFormat, NO_LIMITATIONS } from "../upstream/route.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import { bindThread } from "./message-threads.ts";
import { bindCompactions } from "./responses/compactions.ts";
import { narrowChannels } from "./responses/pin-channel.ts";
import { resume } from "./responses/resume.ts";
import type { UsesStores } from "./stores.ts";

/** What these functions work with. */
export type ConversationStateContext = Uses<"channels" | "settings" | "vault"> &
  UsesStores<"objects" | "responses"> &
  Pick<CallTools, "catalog"> &
  Pick<UpstreamTools, "limitations">;

/** Binds a conversation to channels that may have what it refers to, or inserts what the gateway stores of it. */
export async function bindConversation(context: ConversationStateContext, call: Call): Promise<Call> {
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
