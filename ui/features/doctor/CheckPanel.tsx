import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Report } from "../../../src/domain/diagnostics/run-checks.ts";
import { Panel, Row } from "../../components/layout.tsx";
import { StatusChip, type ToneName } from "../../components/StatusChip.tsx";

type State = Report["state"];
const TONES: Readonly<Record<State, ToneName>> = { ok: "ok", warn: "warn", fail: "bad", skip: "idle" };

type Props = { title: string; report: Report | undefined; isNext: boolean; children?: ReactNode };

/** One check: how it stands, what was found, and the fix for what is wrong. */
export const CheckPanel = ({ title, report, isNext, children }: Props) => {
  const { t } = useTranslation();
  const action = report && <StatusChip tone={TONES[report.state]}>{t(`doctor.states.${report.state}`)}</StatusChip>;
  return (
    <Panel title={title} {...(action && { action })}>
      {isNext && <LinearProgress aria-label={title} />}
      {report?.findings.map((finding) => (
        <FindingRow key={finding.found} {...finding} />
      ))}
      {!report && !isNext && <Box sx={{ fontSize: 13, color: "text.tertiary" }}>{t("doctor.waits")}</Box>}
      {report && children}
    </Panel>
  );
};

/** A finding and, where something is wrong, what to do. */
export const FindingRow = ({ state, found, fix }: { state: State; found: string; fix: string | null }) => {
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
