import type { ChannelOtherInfo } from "../../../../db/schema/gateway/channels.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { isSentence } from "../../../lib/messages.ts";
import { type Reason, sayReason } from "../../../lib/reason.ts";

/** What is kept of a channel that goes off: in English for the ecosystem's tools, by code for readers of other languages. */
export const infoOf = (reason: Reason): ChannelOtherInfo => ({
  status_reason: sayReason(reason, "en"),
  ...(typeof reason === "object" && { status_note: reason }),
  status_time: nowSeconds(),
});

/** Why a channel is off, from what is stored of it; empty: no reason was given. */
export function reasonIn({ status_note: note, status_reason: text }: ChannelOtherInfo): Reason {
  if (isSentence(note)) return note;
  return typeof text === "string" ? text : "";
}
