import { useCallback, useEffect, useState } from "react";
import type { Check, Report } from "../../../src/domain/diagnostics/run-checks.ts";
import { notifyError } from "../../components/notify.tsx";
import { type Arrival, runCheck, timeStream } from "./doctor-calls.ts";

export type Reports = Partial<Record<Check, Report>>;

/** Runs the checks one after another, so that none disturbs the other's times; the stream is timed in this browser too. */
export function useExamination(checks: readonly Check[] | undefined) {
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
