import { queryOptions } from "@tanstack/react-query";
import type { Check, Report } from "../../../src/domain/diagnostics/examine.ts";
import { request, requestEvents } from "../../api/client.ts";

type Overview = Readonly<{
  checks: readonly { check: Check; title: string }[];
  /** Admits to a stream of so many events, sent at an interval. */
  stream: { ticket: string; events: number; interval_ms: number };
}>;

/** The checks there are; asked anew for each visit, for the ticket is good for a minute. */
export const doctorOverview = queryOptions({
  queryKey: ["doctor"],
  gcTime: 0,
  queryFn: async ({ signal }) => (await request<Overview>("/api/doctor/", { signal })).data,
});

/** Runs one check. Rejects ApiError. */
export const runCheck = async (check: Check, signal: AbortSignal): Promise<Report> =>
  (await request<Report>(`/api/doctor/${check}`, { signal })).data;

/** How events arrived at this browser: milliseconds from the first to the last, and over how many they were sent. */
export type Arrival = Readonly<{ spreadMs: number; sentMs: number; isHeld: boolean }>;

/** Reads the timed stream through whatever lies between this browser and the gateway. Rejects ApiError. */
export async function timeStream(signal: AbortSignal): Promise<Arrival> {
  const { ticket, events, interval_ms } = (await request<Overview>("/api/doctor/", { signal })).data.stream;
  const arrivedMs: number[] = [];
  await requestEvents<number>(`/api/doctor/stream?ticket=${encodeURIComponent(ticket)}`, {
    onOpen: () => {},
    onEvent: () => arrivedMs.push(performance.now()),
    signal,
  });
  const sentMs = (events - 1) * interval_ms;
  const spreadMs = Math.round((arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0));
  return { spreadMs, sentMs, isHeld: spreadMs < sentMs / 2 };
}

/** Sends a test mail. Resolves with what to tell; rejects ApiError. */
export const sendTestMail = async (to: string): Promise<string> =>
  (await request<null>("/api/doctor/mail", { method: "POST", body: { to } })).message;
