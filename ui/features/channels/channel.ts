import type { ChannelView } from "../../../src/domain/channels/manage/channel-view.ts";
import { readRecord } from "../../lib/json.ts";

/** A channel as returned by `GET /api/channel/`; `models` and `group` are comma-separated, JSON fields are text. */
export type Channel = ChannelView;

type ChannelOtherInfo = Readonly<{ status_time?: number }>;

export const ENABLED = 1;
export const DISABLED = 2;
export const AUTO_DISABLED = 3;

/** When the channel was last disabled; empty if nothing readable is stored. */
export function otherInfoOf(channel: Pick<Channel, "other_info">): ChannelOtherInfo {
  const time = readRecord(channel.other_info ?? "")?.status_time;
  return typeof time === "number" ? { status_time: time } : {};
}

/** Splits a comma-separated list and drops empty entries. */
export const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The drawer for a path: /channel/add creates (id null), /channel/edit/7 edits; null: no drawer. */
export function drawerOf(path: string): { id: number | null } | null {
  if (/^\/channel\/add\/?$/.test(path)) return { id: null };
  const edited = /^\/channel\/edit\/(\d{1,9})\/?$/.exec(path);
  return edited ? { id: Number(edited[1]) } : null;
}
