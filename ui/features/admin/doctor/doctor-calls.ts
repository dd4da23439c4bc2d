import { queryOptions } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Check, Report } from "../../../../src/domain/diagnostics/run-checks.ts";
import { followEvents, readData, readEnvelope } from "../../../api/client.ts";
import { doctorApi } from "../../../api/groups.ts";
import { notifyError } from "../../../components/feedback/notify.tsx";

type Reports = Partial<Record<Check, Report>>;

/**
 * Runs the checks one after another, so that they don't affect each other's timing; also times the stream in this
 * browser.
 */
export function useDiagnostics(checks: readonly Check[] | undefined) {
  const [reports, setReports] = useState<Reports>({});
  const [arrival, setArrival] = useState<Arrival | null>(null);
  const [round, setRound] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const again = useCallback(() => setRound((count) => count + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round runs the same checks again
  useEffect(() => {
    if (!checks) return;
    const control = new AbortController();
    const { signal } = control;
    const run = async () => {
      setReports({});
      setArrival(null);
      setRunning(true);
      for (const check of checks) {
        const report = await runCheck(check, signal);
        setReports((all) => ({ ...all, [check]: report }));
        if (check === "streams") setArrival(await timeStream(signal));
      }
    };
    run()
      .catch((error) => {
        if (!signal.aborted) notifyError(error);
      })
      .finally(() => {
        if (!signal.aborted) setRunning(false);
      });
    return () => control.abort();
  }, [checks, round]);
  return { reports, arrival, isRunning, again };
}

/** The list of checks; fetched again on each visit, because its ticket expires after a minute. */
export const doctorOverview = queryOptions({
  queryKey: ["doctor"],
  gcTime: 0,
  queryFn: ({ signal }) => readData(doctorApi.get({ fetch: { signal } })),
});

/** Runs one check. Rejects ApiError. */
const runCheck = (check: Check, signal: AbortSignal): Promise<Report> =>
  readData(doctorApi({ check }).get({ fetch: { signal } }));

/**
 * How events arrived in this browser: milliseconds from the first to the last, and over how many milliseconds they were
 * sent.
 */
type Arrival = Readonly<{ spreadMs: number; sentMs: number; isHeld: boolean }>;

/** Reads the timed stream through all proxies between this browser and the gateway. Rejects ApiError. */
async function timeStream(signal: AbortSignal): Promise<Arrival> {
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

/** Sends a test mail. Resolves with the message to show; rejects ApiError. */
export const sendTestMail = async (to: string): Promise<string> =>
  (await readEnvelope(doctorApi.mail.post({ to }))).message;
