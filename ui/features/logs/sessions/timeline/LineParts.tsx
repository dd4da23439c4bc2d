import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Money } from "../../../../components/display/Money.tsx";
import { StatusChip } from "../../../../components/display/StatusChip.tsx";
import { Tag } from "../../../../components/display/Tag.tsx";
import { Row } from "../../../../components/layout.tsx";
import { formatDuration } from "../../../../lib/format/duration.ts";
import { formatShare, formatShort } from "../../../../lib/format/number.ts";
import type { AgentLine, CallLine, Line } from "./timeline.ts";

const CUT = { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", minWidth: 0 } as const;

/** An agent, and how much it did with those below it. */
export const AgentName = ({ line: { node } }: { line: AgentLine }) => {
  const { t } = useTranslation();
  const { calls, failed } = node.branch;
  return (
    <>
      <Box component="span" title={node.agent} sx={{ ...CUT, fontWeight: 600 }}>
        {node.agent === "" ? t("sessions.mainAgent") : node.name || node.agent}
      </Box>
      <Box component="span" sx={{ flex: "none", fontSize: 12, color: "text.tertiary" }}>
        {t("sessions.timeline.calls", { count: calls })}
      </Box>
      {failed > 0 && (
        <StatusChip tone="bad" dot={false}>
          {t("sessions.timeline.failedCalls", { count: failed })}
        </StatusChip>
      )}
    </>
  );
};

/** A call: its model, its step, and the tools whose results it sent. */
export const CallName = ({ line: { call, step } }: { line: CallLine }) => {
  const { t } = useTranslation();
  return (
    <>
      <Box component="span" title={call.model} sx={{ ...CUT, flex: "0 1 auto" }}>
        {call.model}
      </Box>
      {call.failed && (
        <StatusChip tone="bad" dot={false}>
          {t("sessions.columns.failed")}
        </StatusChip>
      )}
      {step !== "" && <Tag>{step}</Tag>}
      {call.tools.length > 0 && (
        <Box component="span" title={call.tools.join(", ")} sx={{ ...CUT, fontSize: 12, color: "text.tertiary" }}>
          {call.tools.join(", ")}
        </Box>
      )}
    </>
  );
};

/** Tokens, what of them came from a cache, time and cost of a line. */
export const LineFigures = ({ line, isShort }: { line: Line; isShort: boolean }) => {
  const { t } = useTranslation();
  const sums = line.kind === "agent" ? line.node.branch : line.call;
  const { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion } = sums;
  return (
    <Row gap={isShort ? 2 : 3} className="num" sx={{ flex: "none", fontSize: 12.5, textAlign: "right" }}>
      {!isShort && (
        <>
          <Box component="span" sx={{ width: 92, color: "text.secondary" }}>
            <span title={t("sessions.timeline.tokens")}>{`${formatShort(prompt)} → ${formatShort(completion)}`}</span>
          </Box>
          <Box
            component="span"
            sx={{ width: 104, whiteSpace: "nowrap", color: cached > 0 ? "tone.ok.text" : "text.tertiary" }}
          >
            <span title={t("sessions.timeline.cache")}>
              {cached > 0 ? t("sessions.timeline.cached", { share: formatShare(cached / Math.max(1, prompt)) }) : "–"}
            </span>
          </Box>
        </>
      )}
      <Box component="span" sx={isShort ? { color: "text.tertiary", fontSize: 12 } : { width: 62 }}>
        {formatDuration(sums.elapsed_ms)}
      </Box>
      <Box component="span" sx={isShort ? {} : { width: 76 }}>
        <Money quota={sums.quota} decimals={isShort ? 4 : 6} />
      </Box>
    </Row>
  );
};
