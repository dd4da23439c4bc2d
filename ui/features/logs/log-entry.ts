import type { LogOther } from "../../../src/billing/types.ts";
import type { LogView } from "../../../src/domain/logs/list/log-view.ts";

/** A row of the usage log as `GET /api/log/` answers it; `other` is JSON text of `LogOther`. */
export type LogEntry = LogView;

/** The log's row types; 0 stands for all in filters and is shown as consumption in rows. */
export const LOG_TYPES = { topUp: 1, consume: 2, manage: 3, system: 4, checkIn: 5 } as const;

/** Whether the row is a relayed call. */
export const isCall = (entry: LogEntry): boolean => entry.type === LOG_TYPES.consume || entry.type === 0;

/** What was written beside the row; empty when it cannot be read. */
export function otherOf(entry: LogEntry): Partial<LogOther> {
  if (!entry.other) return {};
  try {
    const parsed: unknown = JSON.parse(entry.other);
    return typeof parsed === "object" && parsed !== null ? (parsed as Partial<LogOther>) : {};
  } catch {
    return {};
  }
}

/** The group the row is of; some gateways wrote it beside. */
export const groupOf = (entry: LogEntry): string => entry.group || (otherOf(entry).group ?? "");

/** Milliseconds the call took, exact where known. */
export const elapsedMsOf = (entry: LogEntry): number => entry.elapsed_ms || entry.use_time * 1000;

/** Milliseconds to the first token; null when none was recorded. */
export const firstTokenMsOf = (other: Partial<LogOther>): number | null =>
  other.frt !== undefined && other.frt > 0 ? other.frt : null;

/** The channels that the call went through, by name, in order; administrators only. */
export function routeOf(entry: LogEntry): string[] {
  const info = otherOf(entry).admin_info;
  if (!info) return [];
  const named = info.attempts?.map(({ channelId, channelName }) => channelName || `#${channelId}`) ?? [];
  return named.length > 0 ? named : info.use_channel;
}
