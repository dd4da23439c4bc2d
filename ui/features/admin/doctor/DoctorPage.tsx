import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Skeleton from "@mui/material/Skeleton";
import TextField from "@mui/material/TextField";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Report } from "../../../../src/domain/diagnostics/run-checks.ts";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { doctorOverview, sendTestMail, useDiagnostics } from "./doctor-calls.ts";

/** Checks the installation and says how to fix what is wrong. */
export const DoctorPage = () => {
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
        title={t("doctor.title")}
        purpose={t("doctor.purpose")}
        actions={
          <Button variant="contained" color="primary" loading={isRunning} disabled={!names} onClick={again}>
            {t("doctor.again")}
          </Button>
        }
      />
      {overview.isPending && <Skeleton variant="rounded" height={320} />}
      {overview.error && <ErrorState error={overview.error} onRetry={() => overview.refetch()} />}
      {listed && (
        <Col gap={4} sx={{ maxWidth: 880 }}>
          <Box role="status" sx={{ fontSize: 13, color: "text.secondary" }}>
            {isRunning ? t("doctor.running") : total === 0 ? t("doctor.nothing") : t("doctor.total", { count: total })}
          </Box>
          {listed.map(({ check, title }) => (
            <CheckPanel key={check} title={title} report={reports[check]} isNext={next === check}>
              {check === "streams" && arrival && (
                <CheckResultRow
                  state={arrival.isHeld ? "fail" : "ok"}
                  found={t(arrival.isHeld ? "doctor.stream.held" : "doctor.stream.flows", {
                    sent: arrival.sentMs,
                    ms: arrival.spreadMs,
                  })}
                  fix={arrival.isHeld ? t("doctor.stream.fix") : null}
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
  const action = report && <StatusChip tone={TONES[report.state]}>{t(`doctor.states.${report.state}`)}</StatusChip>;
  return (
    <Panel title={title} {...(action && { action })}>
      {isNext && <LinearProgress aria-label={title} />}
      {report?.findings.map((result) => (
        <CheckResultRow key={result.found} {...result} />
      ))}
      {!report && !isNext && <Box sx={{ fontSize: 13, color: "text.tertiary" }}>{t("doctor.waits")}</Box>}
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
        aria-label={t(`doctor.states.${state}`)}
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
        {fix && <Box sx={{ color: "text.secondary" }}>{t("doctor.fix", { fix })}</Box>}
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
          placeholder={t("doctor.mail.to")}
          sx={{ flex: 1, minWidth: 180, maxWidth: 320 }}
          slotProps={{ htmlInput: { "aria-label": t("doctor.mail.to"), maxLength: 320 } }}
        />
        <Button type="submit" loading={send.isPending}>
          {t("doctor.mail.send")}
        </Button>
      </Row>
    </form>
  );
};
