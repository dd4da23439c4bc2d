import type { Address } from "../../components/useAddress.ts";
import { LOG_TYPES } from "./log-entry.ts";
import type { LogFilters } from "./log-queries.ts";
import type { TimeRange } from "./time-range.ts";

/** In the address, instead of a type: calls that failed. */
export const FAILED = "failed";

const TIMES = ["range", "from", "to"] as const;

/**
 * What the address asks of the log within a range. A request that is looked for by its id may be of any time, unless the
 * address itself names one.
 */
export function logFiltersOf(address: Pick<Address, "text" | "number">, range: TimeRange): LogFilters {
  const text = (key: string) => address.text(key) || undefined;
  const isFailed = address.text("type") === FAILED;
  return {
    start: range.start,
    end: range.end,
    anyTime: (text("search") && !TIMES.some(text)) || undefined,
    type: isFailed ? LOG_TYPES.consume : address.number("type"),
    failed: isFailed || undefined,
    model: text("model"),
    token: text("token"),
    group: text("group"),
    requestId: text("search"),
    user: text("user"),
    channel: address.number("channel"),
  };
}

/** Whether anything but time narrows the log. */
export const isNarrowed = ({ start: _start, end: _end, anyTime: _anyTime, ...rest }: LogFilters): boolean =>
  Object.values(rest).some((value) => value !== undefined);
