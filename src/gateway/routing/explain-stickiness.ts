import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Tier } from "../../domain/channels/routing/routing-index.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import { promptTokensBound } from "../billing/estimate.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import type { GatewayServices } from "../call/services.ts";
import { generateContent, messages, responses } from "../http/endpoints/conversations.ts";
import { chatCompletions } from "../http/endpoints/text.ts";
import { conversationKey, type RecognizedBy } from "./conversation-key.ts";
import type { ExplainQuestion } from "./explain.ts";
import { findChannel } from "./scheduler/find-channel.ts";

/** The channel and key that have a conversation's prompt in their cache. */
export type StickyChannel = Readonly<{
  channelId: number;
  /** Place among the channel's keys, from 0; -1: it has the key no more. */
  keyIndex: number;
  by: RecognizedBy;
  /** Epoch milliseconds until which it is remembered, unless another call comes. */
  until: number;
  /** Channel and key are in order, so a call would go there. */
  holds: boolean;
}>;

/** Where the scheduler remembers that the conversation went; null: nowhere. Changes nothing. */
export function explainStickyChannel(
  {
    services,
    stickiness,
    keys,
  }: Pick<GatewayContext, "stickiness" | "keys"> &
    Readonly<{ services: Readonly<{ tokens: Pick<GatewayServices["tokens"], "get"> }> }>,
  { model, conversation }: ExplainQuestion,
  tiers: readonly Tier[],
  suits: (channel: ChannelEntry) => boolean,
): StickyChannel | null {
  const token = conversation && services.tokens.get(conversation.tokenId);
  if (!token) return null;
  for (const { body, prompt } of readings(model, conversation.request)) {
    const promptBound = promptTokensBound(prompt, JSON.stringify(body).length);
    const recognized = conversationKey({ userId: token.userId, tokenId: token.id, model, body, prompt, promptBound });
    const kept = recognized && stickiness.find(recognized.key);
    if (!kept) continue;
    const { channelId, key, until } = kept;
    const channel = findChannel(tiers, channelId);
    const holds = channel !== undefined && suits(channel) && keys.isFit(channel, key);
    return { channelId, keyIndex: channel?.keys.indexOf(key) ?? -1, by: recognized.by, until, holds };
  }
  return null;
}

/** A request as each of the four formats reads it whose it can be, with the prompt in the shape of an OpenAI request. */
export function readings(model: string, request: JsonObject): { body: JsonObject; prompt: JsonObject }[] {
  const body = { model, ...request };
  return [chatCompletions, responses, messages, generateContent].flatMap((endpoint) => {
    try {
      return [{ body, prompt: endpoint.read(body, { model }).prompt }];
    } catch (error) {
      if (error instanceof DecodeError || error instanceof GatewayError) return [];
      throw error;
    }
  });
}
