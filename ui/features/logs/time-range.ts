import { useCallback, useEffect, useRef, useState } from "react";

/** Named ranges, in seconds. */
const RANGES = {
  "15m": 900,
  "1h": 3600,
  "24h": 86_400,
  "7d": 604_800,
  "30d": 2_592_000,
  "90d": 7_776_000,
  "365d": 31_536_000,
} as const;
export type RangeName = keyof typeof RANGES;

const DEFAULT_RANGE: RangeName = "24h";
/** Clocks of browser and server may differ: the end of an open range lies an hour ahead. */
const AHEAD_SECONDS = 3600;

/** The time range in the URL: a named range up to now, or two moments in epoch seconds. */
type TimeChoice = Readonly<{ range?: string; from?: number; to?: number }>;

/** A range in epoch seconds; `end` is open when it follows the clock. */
export type TimeRange = Readonly<{ name: RangeName | null; start: number; end: number; open: boolean }>;

const isRangeName = (name: string | undefined): name is RangeName => name !== undefined && Object.hasOwn(RANGES, name);

/** Resolves a choice to a range at a given moment. */
export function rangeOf(choice: TimeChoice, nowSeconds: number): TimeRange {
  if (choice.from !== undefined || choice.to !== undefined) {
    const end = choice.to ?? nowSeconds + AHEAD_SECONDS;
    return { name: null, start: Math.min(choice.from ?? 0, end), end, open: choice.to === undefined };
  }
  const name = isRangeName(choice.range) ? choice.range : DEFAULT_RANGE;
  return { name, start: nowSeconds - RANGES[name], end: nowSeconds + AHEAD_SECONDS, open: true };
}

/** Days and months of the reader's calendar. */
export const CALENDAR = ["today", "yesterday", "thisMonth", "lastMonth"] as const;
export type CalendarName = (typeof CALENDAR)[number];

/** The first and the last second of a day or month, in epoch seconds. */
export function calendarRange(name: CalendarName, now: Date): Readonly<{ start: number; end: number }> {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const moments: Readonly<Record<CalendarName, readonly [from: Date, until: Date]>> = {
    today: [new Date(year, month, day), new Date(year, month, day + 1)],
    yesterday: [new Date(year, month, day - 1), new Date(year, month, day)],
    thisMonth: [new Date(year, month, 1), new Date(year, month + 1, 1)],
    lastMonth: [new Date(year, month - 1, 1), new Date(year, month, 1)],
  };
  const [from, until] = moments[name];
  return { start: from.getTime() / 1000, end: until.getTime() / 1000 - 1 };
}

const FOLLOW_MS = 5000;

/** Now, in epoch seconds. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

type NowOptions = Readonly<{
  isFollowing: boolean;
  /** Where to begin, for a page that is shown again. */
  initial?: number | undefined;
  /** Whether following may go on at the moment. */
  mayAdvance?: () => boolean;
}>;

/**
 * The end of open ranges, in epoch seconds. It stays fixed until renewed, so that pages don't shift while they are
 * read; it advances by itself in follow mode.
 */
export function useNow({ isFollowing, initial, mayAdvance }: NowOptions): [number, () => void] {
  const [now, setNow] = useState(() => initial ?? nowSeconds());
  const renew = useCallback(() => setNow(nowSeconds()), []);
  const asks = useRef(mayAdvance);
  asks.current = mayAdvance;
  useEffect(() => {
    if (!isFollowing) return;
    renew();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && asks.current?.() !== false) renew();
    }, FOLLOW_MS);
    return () => clearInterval(timer);
  }, [isFollowing, renew]);
  return [now, renew];
}
