import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col } from "../components/layout.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { CheckPanel, FindingRow } from "../features/doctor/CheckPanel.tsx";
import { doctorOverview } from "../features/doctor/doctor-calls.ts";
import { TestMail } from "../features/doctor/TestMail.tsx";
import { useExamination } from "../features/doctor/use-examination.ts";

/** Looks for what is wrong with the installation, check by check, and says how to fix it. */
export const DoctorPage = () => {
  const { t } = useTranslation();
  const overview = useQuery(doctorOverview);
  const listed = overview.data?.checks;
  const names = useMemo(() => listed?.map(({ check }) => check), [listed]);
  const { reports, arrival, isRunning, again } = useExamination(names);
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
                <FindingRow
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
