import type { ChannelView } from "../../../src/domain/channels/manage/channel-view.ts";

/** A channel as `GET /api/channel/` answers it; `models` and `group` are comma lists, JSON fields are text. */
export type Channel = ChannelView;

type ChannelOtherInfo = Readonly<{ status_time?: number }>;

export const ENABLED = 1;
export const DISABLED = 2;
export const AUTO_DISABLED = 3;

/** When the channel was last disabled; empty when nothing readable was stored. */
export function otherInfoOf(channel: Pick<Channel, "other_info">): ChannelOtherInfo {
  if (!channel.other_info) return {};
  try {
    const parsed: unknown = JSON.parse(channel.other_info);
    return typeof parsed === "object" && parsed !== null ? (parsed as ChannelOtherInfo) : {};
  } catch {
    return {};
  }
}

/** Splits a comma list, dropping blanks. */
export const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The drawer that a path means: /channel/add a new channel (id null), /channel/edit/7 that one; null: none. */
export function drawerOf(path: string): { id: number | null } | null {
  if (/^\/channel\/add\/?$/.test(path)) return { id: null };
  const edited = /^\/channel\/edit\/(\d{1,9})\/?$/.exec(path);
  return edited ? { id: Number(edited[1]) } : null;
}
