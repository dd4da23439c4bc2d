import type { LiveCall } from "../../../src/domain/logs/live/call-feed.ts";
import { failureText } from "../../failure-text.ts";

/** Rows that are kept: more than anybody scrolls back to while new ones come. */
export const MOST_CALLS = 300;

/** The calls with the new ones on top, newest first; what is told again takes the place of what was told before. */
export function mergeCalls(shown: readonly LiveCall[], told: readonly LiveCall[]): readonly LiveCall[] {
  const latest = new Map(told.map((call) => [call.request_id, call]));
  const kept = shown.map((call) => {
    const news = latest.get(call.request_id);
    if (!news) return call;
    latest.delete(call.request_id);
    // An end may overtake its beginning on the way.
    return call.is_over ? call : news;
  });
  return [...[...latest.values()].reverse(), ...kept].slice(0, MOST_CALLS);
}

/** Whether a call has the text anywhere in what names it. */
export function namesText(call: LiveCall, text: string): boolean {
  const sought = text.trim().toLowerCase();
  if (sought === "") return true;
  const names = [
    call.username,
    call.token_name,
    call.model_name,
    call.channel_name,
    call.group,
    call.ip,
    call.request_id,
    failureText(call),
  ];
  return names.some((name) => name.toLowerCase().includes(sought));
}
