import { queryOptions } from "@tanstack/react-query";
import type { Check, Report } from "../../../src/domain/diagnostics/run-checks.ts";
import { followEvents, readData, readEnvelope } from "../../api/client.ts";
import { doctorApi } from "../../api/groups.ts";

/** The checks there are; asked anew for each visit, for the ticket is good for a minute. */
export const doctorOverview = queryOptions({
  queryKey: ["doctor"],
  gcTime: 0,
  queryFn: ({ signal }) => readData(doctorApi.get({ fetch: { signal } })),
});

/** Runs one check. Rejects ApiError. */
export const runCheck = (check: Check, signal: AbortSignal): Promise<Report> =>
  readData(doctorApi({ check }).get({ fetch: { signal } }));

/** How events arrived at this browser: milliseconds from the first to the last, and over how many they were sent. */
export type Arrival = Readonly<{ spreadMs: number; sentMs: number; isHeld: boolean }>;

/** Reads the timed stream through whatever lies between this browser and the gateway. Rejects ApiError. */
export async function timeStream(signal: AbortSignal): Promise<Arrival> {
  const { ticket, events, interval_ms } = (await readData(doctorApi.get({ fetch: { signal } }))).stream;
  const arrivedMs: number[] = [];
  await followEvents(doctorApi.stream, {
    query: { ticket },
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
  (await readEnvelope(doctorApi.mail.post({ to }))).message;
