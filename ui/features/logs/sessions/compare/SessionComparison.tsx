import Box from "@mui/material/Box";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionDetail } from "../../../../../src/domain/logs/sessions/read-sessions.ts";
import { Panel } from "../../../../components/layout.tsx";
import { FigureTable } from "../../../../components/page/list/FigureTable.tsx";
import type { SessionScope } from "../session-calls.ts";
import { FIGURE_ROWS, SESSION_PAIR } from "../session-tables.tsx";
import { axisOf } from "../timeline/axis.ts";
import { SessionTimeline } from "../timeline/SessionTimeline.tsx";
import { linesOf } from "../timeline/timeline.ts";
import { AnswersDialog } from "./AnswersDialog.tsx";
import { type CallPair, pairsOf } from "./call-pairs.ts";
import { CALL_PAIRS } from "./pair-table.tsx";

type Props = Readonly<{ scope: SessionScope; session: SessionDetail; other: SessionDetail }>;

/** Two sessions: their figures, both timelines on one scale, and call by call what differs. */
export const SessionComparison = ({ scope, session, other }: Props) => {
  const { t } = useTranslation();
  const [compared, setCompared] = useState<CallPair | null>(null);
  const pairs = useMemo(() => pairsOf(session.steps, other.steps), [session, other]);
  const scale = useMemo(
    () => Math.max(...[session, other].map((each) => axisOf(linesOf(each)).length)),
    [session, other],
  );
  return (
    <>
      <Panel title={t("sessions.figures")}>
        <Box sx={{ maxWidth: FIGURES_PX }}>
          <FigureTable table={SESSION_PAIR} rows={FIGURE_ROWS} data={{ session, other }} isCompact />
        </Box>
      </Panel>
      {[session, other].map((each) => (
        <Panel key={each.id} title={t("sessions.timeline.of", { id: each.id })}>
          <SessionTimeline detail={each} scope={scope} scale={scale} />
        </Panel>
      ))}
      <Panel title={t("sessions.pairs.title")} hint={t("sessions.pairs.hint")}>
        <FigureTable table={CALL_PAIRS} rows={pairs} data={{ session, other, onCompare: setCompared }} />
      </Panel>
      {compared?.one && compared.other && (
        <AnswersDialog
          scope={scope}
          sides={[
            { title: session.id, call: compared.one },
            { title: other.id, call: compared.other },
          ]}
          onClose={() => setCompared(null)}
        />
      )}
    </>
  );
};

/** Wider, a figure stands too far from its name. */
const FIGURES_PX = 780;
