import type { Reply } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Route } from "../../upstream/bind-channel.ts";
import { hashOf } from "../files/request-upstream.ts";

/** Takes a complete answer: how it ended, and its body where the gateway wrote it itself. */
export type StoreResponse = (reply: Reply, id: string, body: JsonObject | null) => void;

/**
 * Keeps an answer for later reference, where the format and the client want that: by its channel when the upstream stores
 * it, else the whole talk. Null: nothing is to be kept.
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
      keyHash: hashOf(key),
      isNative,
      turns: isNative ? [] : [...request.turns, { role: "assistant", parts: answer?.parts ?? [] }],
      body: isNative ? {} : (body ?? {}),
      createdAt: now,
      expiresAt: now + hours * 3600,
    });
  };
}
