import type { Reply } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Route } from "../../upstream/route.ts";
import { keyHashOf } from "../files/request-upstream.ts";

/** Takes a complete response: its reply, and its body if the gateway wrote it. */
export type StoreResponse = (reply: Reply, id: string, body: JsonObject | null) => void;

/**
 * Stores a response for later reference if the format and the client request that: only its channel if the upstream
 * stores it, else the whole conversation. Null if nothing is to be stored.
 */
export function responseStorer(
  context: GatewayContext,
  call: Call,
  { channel, key }: Route,
  request: Conversation,
  isNative: boolean,
): StoreResponse | null {
  const hours = context.services.settings.get("responses.keep_hours");
  if (request.extra.dialect !== "openai-responses" || request.extra.members.store === false || hours === 0) return null;
  return (reply, id, body) => {
    const answer = reply.choices[0];
    const now = nowSeconds();
    context.services.responses.keep({
      id,
      userId: call.caller.user.id,
      channelId: channel.id,
      keyHash: keyHashOf(channel, key),
      isNative,
      turns: isNative ? [] : [...request.turns, { role: "assistant", parts: answer?.parts ?? [] }],
      body: isNative ? {} : (body ?? {}),
      createdAt: now,
      expiresAt: now + hours * 3600,
    });
  };
}
