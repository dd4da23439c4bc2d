import Box from "@mui/material/Box";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Col, Panel } from "../../../components/layout.tsx";
import { AnswerPair } from "../../../components/page/answers/AnswerPair.tsx";
import type { ReplayedCall } from "./replay-form.ts";

/** A request as it was and as it is now, side by side. */
export const ReplayedCallPanel = ({ call }: Readonly<{ call: ReplayedCall }>) => {
  const { t } = useTranslation();
  const { before, after, request_id: id } = call;
  return (
    <Panel
      title={
        <Link to="/log/$requestId" params={{ requestId: id }}>
          {id}
        </Link>
      }
      action={<Verdict call={call} />}
    >
      <Col gap={3}>
        {call.verdict_reason !== "" && (
          <Box sx={{ fontSize: 13, color: "text.secondary", overflowWrap: "anywhere" }}>{call.verdict_reason}</Box>
        )}
        <AnswerPair
          before={{ ...before, title: t("replays.before") }}
          after={{ ...after, title: t("replays.after") }}
        />
      </Col>
    </Panel>
  );
};

const Verdict = ({ call: { verdict, is_sure: isSure } }: Readonly<{ call: ReplayedCall }>) => {
  const { t } = useTranslation();
  if (verdict === null) return null;
  if (!isSure) {
    return (
      <StatusChip tone="idle" quiet reason={t("replays.unsureHint")}>
        {t("replays.unsure")}
      </StatusChip>
    );
  }
  const side = verdict > 0 ? "new" : verdict < 0 ? "current" : "tie";
  return (
    <StatusChip tone={verdict > 0 ? "ok" : verdict < 0 ? "bad" : "idle"} reason={t("replays.sureHint")}>
      {t(`replays.preferred.${side}`)}
    </StatusChip>
  );
};
