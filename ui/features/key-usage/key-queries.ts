import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callWithKey } from "../../api/with-key.ts";
import type { LogEntry } from "../logs/log-entry.ts";

/** How a key stands, in quota units, as `GET /api/usage/token` answers. */
export type KeyStanding = Readonly<{
  name: string;
  total_granted: number;
  total_used: number;
  total_available: number;
  unlimited_quota: boolean;
  model_limits: Readonly<Record<string, boolean>>;
  model_limits_enabled: boolean;
  /** Epoch seconds; 0: never. */
  expires_at: number;
}>;

/** Kept only as long as the page is open: the key is part of what names it. */
const FORGET = { gcTime: 0, retry: false } as const;

export const keyStanding = (key: string) =>
  queryOptions({
    queryKey: ["key-standing", key],
    queryFn: async ({ signal }) => (await callWithKey<{ data: KeyStanding }>("/api/usage/token", key, signal)).data,
    ...FORGET,
  });

export const keyLog = (key: string, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["key-log", key, page, pageSize],
    queryFn: ({ signal }) =>
      callWithKey<{ data: LogEntry[]; total: number }>(
        `/api/log/token?p=${page + 1}&page_size=${pageSize}`,
        key,
        signal,
      ),
    placeholderData: keepPreviousData,
    ...FORGET,
  });
