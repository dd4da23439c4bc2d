import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Skeleton from "@mui/material/Skeleton";
import TextField from "@mui/material/TextField";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Check, Report } from "../../../../src/domain/system/diagnostics/run-checks.ts";
import { followEvents, readData, readEnvelope } from "../../../api/client.ts";
import { doctorApi } from "../../../api/groups.ts";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";

type Reports = Partial<Record<Check, Report>>;

/**
 * Runs the checks one after another, so that they don't affect each other's timing; also times the stream in this
 * browser.
 */
function useDiagnostics(checks: readonly Check[] | undefined) {
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
const doctorOverview = queryOptions({
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
const sendTestMail = async (to: string): Promise<string> => (await readEnvelope(doctorApi.mail.post({ to }))).message;

/** Checks the installation and says how to fix what is wrong. */
export const DiagnosticsPage = () => {
  const { t } = useTranslation();
  const overview = useQuery(doctorOverview);
  const listed = overview.data?.checks;
  const names = useMemo(() => listed?.map(({ check }) => check), [listed]);
  const { reports, arrival, isRunning, again } = useDiagnostics(names);
  const next = isRunning ? names?.find((check) => !reports[check]) : undefined;
  const wrong = Object.values(reports).flatMap(({ findings }) => findings.filter(({ fix }) => fix !== null)).length;
  const total = wrong + (arrival?.isHeld ? 1 : 0);
  return (
    <>
      <PageHeader
        title={t("diagnostics.title")}
        purpose={t("diagnostics.purpose")}
        actions={
          <Button variant="contained" color="primary" loading={isRunning} disabled={!names} onClick={again}>
            {t("diagnostics.again")}
          </Button>
        }
      />
      {overview.isPending && <Skeleton variant="rounded" height={320} />}
      {overview.error && <ErrorState error={overview.error} onRetry={() => overview.refetch()} />}
      {listed && (
        <Col gap={4} sx={{ maxWidth: 880 }}>
          <Box role="status" sx={{ fontSize: 13, color: "text.secondary" }}>
            {isRunning
              ? t("diagnostics.running")
              : total === 0
                ? t("diagnostics.nothing")
                : t("diagnostics.total", { count: total })}
          </Box>
          {listed.map(({ check, title }) => (
            <CheckPanel key={check} title={title} report={reports[check]} isNext={next === check}>
              {check === "streams" && arrival && (
                <CheckResultRow
                  state={arrival.isHeld ? "fail" : "ok"}
                  found={t(arrival.isHeld ? "diagnostics.stream.held" : "diagnostics.stream.flows", {
                    sent: arrival.sentMs,
                    ms: arrival.spreadMs,
                  })}
                  fix={arrival.isHeld ? t("diagnostics.stream.fix") : null}
                />
              )}
              {check === "mail" && reports.mail?.state === "ok" && <TestMail />}
            </CheckPanel>
          ))}
        </Col>
      )}
    </>
  );
};

type State = Report["state"];
const TONES: Readonly<Record<State, ToneName>> = { ok: "ok", warn: "warn", fail: "bad", skip: "idle" };

type Props = { title: string; report: Report | undefined; isNext: boolean; children?: ReactNode };

/** One check: its state, result and suggested fix. */
const CheckPanel = ({ title, report, isNext, children }: Props) => {
  const { t } = useTranslation();
  const action = report && (
    <StatusChip tone={TONES[report.state]}>{t(`diagnostics.states.${report.state}`)}</StatusChip>
  );
  return (
    <Panel title={title} {...(action && { action })}>
      {isNext && <LinearProgress aria-label={title} />}
      {report?.findings.map((result) => (
        <CheckResultRow key={result.found} {...result} />
      ))}
      {!report && !isNext && <Box sx={{ fontSize: 13, color: "text.tertiary" }}>{t("diagnostics.waits")}</Box>}
      {report && children}
    </Panel>
  );
};

/** A check result and, if it failed, what to do. */
const CheckResultRow = ({ state, found, fix }: { state: State; found: string; fix: string | null }) => {
  const { t } = useTranslation();
  return (
    <Row gap={3} sx={{ py: 1, alignItems: "flex-start", fontSize: 13, lineHeight: "20px" }}>
      <Box
        role="img"
        aria-label={t(`diagnostics.states.${state}`)}
        sx={{
          flex: "none",
          width: 7,
          height: 7,
          mt: "7px",
          borderRadius: "50%",
          bgcolor: `tone.${TONES[state]}.solid`,
        }}
      />
      <Box sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <Box sx={{ color: state === "skip" ? "text.secondary" : "text.primary" }}>{found}</Box>
        {fix && <Box sx={{ color: "text.secondary" }}>{t("diagnostics.fix", { fix })}</Box>}
      </Box>
    </Row>
  );
};

/** Sends a test mail to an address. */
const TestMail = () => {
  const { t } = useTranslation();
  const [to, setTo] = useState("");
  const send = useMutation({ mutationFn: sendTestMail, onSuccess: notifyDone, onError: notifyError });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(to.trim());
  };
  return (
    <form onSubmit={submit}>
      <Row wrap sx={{ mt: 2 }}>
        <TextField
          type="email"
          required
          value={to}
          onChange={({ target }) => setTo(target.value)}
          placeholder={t("diagnostics.mail.to")}
          sx={{ flex: 1, minWidth: 180, maxWidth: 320 }}
          slotProps={{ htmlInput: { "aria-label": t("diagnostics.mail.to"), maxLength: 320 } }}
        />
        <Button type="submit" loading={send.isPending}>
          {t("diagnostics.mail.send")}
        </Button>
      </Row>
    </form>
  );
};
