import Box from "@mui/material/Box";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import type { ReplayedCall } from "./replay-form.ts";

const TextDiff = lazy(() => import("./TextDiff.tsx"));

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
        <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", md: "1fr 1fr" }, gap: 4 }}>
          <Side title={t("replays.before")} side={before}>
            <Suspense fallback={before.text}>
              <TextDiff before={before.text} after={after.text} shows="before" />
            </Suspense>
          </Side>
          <Side title={t("replays.after")} side={after}>
            {after.error === "" ? (
              <Suspense fallback={after.text}>
                <TextDiff before={before.text} after={after.text} shows="after" />
              </Suspense>
            ) : (
              <Box sx={{ color: "tone.bad.text" }}>{after.error}</Box>
            )}
          </Side>
        </Box>
      </Col>
    </Panel>
  );
};

type SideProps = Readonly<{ title: string; side: ReplayedCall["before"]; children: ReactNode }>;

const Side = ({ title, side, children }: SideProps) => (
  <Col gap={2}>
    <Row gap={3} wrap sx={{ fontSize: 12, color: "text.tertiary" }} className="num">
      <Box component="span" sx={{ fontWeight: 600, color: "text.secondary" }}>
        {title}
      </Box>
      <span>{side.model}</span>
      <Money quota={side.cost} decimals={6} />
      <span>{formatDuration(side.latency_ms)}</span>
      <span>
        {formatNumber(side.prompt_tokens)} → {formatNumber(side.completion_tokens)}
      </span>
    </Row>
    <Box
      // Reached by keyboard, because it scrolls.
      tabIndex={0}
      sx={{
        ...{ fontSize: 13, whiteSpace: "pre-wrap", overflowWrap: "anywhere", maxHeight: 360, overflow: "auto" },
        ...{ p: 3, border: "1px solid", borderColor: "line.main", borderRadius: 1, bgcolor: "surface.sunken" },
      }}
    >
      {children}
    </Box>
  </Col>
);

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
