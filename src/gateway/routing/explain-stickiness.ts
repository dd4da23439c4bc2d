import type { Tier } from "../../domain/channels/routing-index.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import { promptTokensBound } from "../billing/estimate.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import type { RelayServices } from "../call/services.ts";
import { generateContent, messages, responses } from "../http/endpoints/conversations.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import { chatCompletions } from "../http/endpoints/text.ts";
import { type ConversationKey, conversationKey, type RecognisedBy } from "./conversation-key.ts";
import { type Demand, obstacleTo } from "./eligibility.ts";
import type { ExplainQuestion } from "./explain.ts";
import { findChannel } from "./scheduler/find-channel.ts";

/** The channel and key that have a conversation's prompt in their cache. */
export type Stuck = Readonly<{
  channelId: number;
  /** Place among the channel's keys, from 0; -1: it has the key no more. */
  keyIndex: number;
  by: RecognisedBy;
  /** Epoch milliseconds until which it is remembered, unless another call comes. */
  until: number;
  /** Channel and key are in order, so a call would go there. */
  holds: boolean;
}>;

/** Where the scheduler remembers that the conversation went; null: nowhere. Changes nothing. */
export function findStuck(
  {
    services,
    stickiness,
    keys,
  }: Pick<RelayContext, "stickiness" | "keys"> &
    Readonly<{ services: Readonly<{ tokens: Pick<RelayServices["tokens"], "get"> }> }>,
  { model, conversation }: ExplainQuestion,
  tiers: readonly Tier[],
  demand: Demand,
): Stuck | null {
  const token = conversation && services.tokens.get(conversation.tokenId);
  if (!token) return null;
  const body = { model, ...conversation.request };
  for (const endpoint of [chatCompletions, responses, messages, generateContent]) {
    const recognised = keyOf(endpoint, body, { userId: token.userId, tokenId: token.id, model });
    const kept = recognised && stickiness.find(recognised.key);
    if (!kept) continue;
    const { channelId, key, until } = kept;
    const channel = findChannel(tiers, channelId);
    const holds = channel !== undefined && obstacleTo(channel, demand) === null && keys.isFit(channel, key);
    return { channelId, keyIndex: channel?.keys.indexOf(key) ?? -1, by: recognised.by, until, holds };
  }
  return null;
}

/** Null where the request is none of the endpoint's format. */
function keyOf(
  endpoint: Endpoint,
  body: JsonObject,
  who: Readonly<{ userId: number; tokenId: number; model: string }>,
): ConversationKey | null {
  try {
    const { prompt } = endpoint.read(body, { model: who.model });
    const promptBound = promptTokensBound(prompt, JSON.stringify(body).length);
    return conversationKey({ ...who, body, prompt, promptBound });
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RelayError) return null;
    throw error;
  }
}
