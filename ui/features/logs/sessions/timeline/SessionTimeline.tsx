import ChevronRight from "@mui/icons-material/ChevronRightOutlined";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionDetail } from "../../../../../src/domain/logs/sessions/read-sessions.ts";
import { Row, usePhone } from "../../../../components/layout.tsx";
import { formatDuration } from "../../../../lib/format/duration.ts";
import type { SessionScope } from "../session-calls.ts";
import { axisOf } from "./axis.ts";
import { CallDetail } from "./CallDetail.tsx";
import { AgentName, CallName, LineFigures } from "./LineParts.tsx";
import { CallBars, SpanBar } from "./SpanBars.tsx";
import { type Line, linesOf } from "./timeline.ts";

type Props = Readonly<{
  detail: SessionDetail;
  scope: SessionScope;
  /** The length of another timeline, in milliseconds, so that both have one scale. */
  scale?: number;
}>;

/** Wider lines take longer to draw than all of a screen. */
const LINE_PX = 34;
const INDENT_PX = 14;

/** What a session did, as a tree of agents and calls on one time axis; a line opens what is known of its call. */
export const SessionTimeline = ({ detail, scope, scale = 0 }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [openId, setOpenId] = useState<string | null>(null);
  const lines = useMemo(() => linesOf(detail), [detail]);
  const axis = useMemo(() => axisOf(lines), [lines]);
  const length = Math.max(axis.length, scale);
  const place = (ms: number) => axis.at(ms) / length;
  const toggle = (line: Line) => {
    if (line.kind === "call") return setOpenId(openId === line.id ? null : line.id);
    const next = new Set(folded);
    if (!next.delete(line.node.agent)) next.add(line.node.agent);
    setFolded(next);
  };
  const shown = lines.filter(({ parents }) => !parents.some((agent) => folded.has(agent)));
  return (
    <Box>
      <Legend lines={lines} />
      <Box
        component="ul"
        aria-label={t("sessions.timeline.title")}
        sx={{ m: 0, p: 0, listStyle: "none", border: "1px solid", borderColor: "line.main", borderRadius: 1 }}
      >
        {shown.map((line) => {
          const isOpen = line.kind === "call" ? openId === line.id : !folded.has(line.node.agent);
          return (
            <Box
              component="li"
              key={line.id}
              sx={{
                "& + &": { borderTop: "1px solid", borderColor: "line.faint" },
                // Of a thousand lines only those on the screen are drawn.
                contentVisibility: "auto",
                containIntrinsicSize: `auto ${LINE_PX}px`,
              }}
            >
              <ButtonBase
                onClick={() => toggle(line)}
                aria-expanded={isOpen}
                sx={{
                  ...{ width: "100%", minHeight: LINE_PX, px: 3, py: isPhone ? 1.5 : 0, gap: 3, textAlign: "left" },
                  ...{ display: "flex", flexWrap: isPhone ? "wrap" : "nowrap", fontSize: 13 },
                  "&:hover, &:focus-visible": { bgcolor: "surface.hover" },
                }}
              >
                <Row
                  gap={1.5}
                  sx={{
                    ...{ flex: isPhone ? "1 1 0" : "0 0 36%", minWidth: 0 },
                    pl: `${line.parents.length * INDENT_PX}px`,
                  }}
                >
                  <ChevronRight
                    sx={{ fontSize: 16, color: "text.tertiary", transform: isOpen ? "rotate(90deg)" : "none" }}
                  />
                  {line.kind === "agent" ? <AgentName line={line} /> : <CallName line={line} />}
                </Row>
                <Box
                  sx={{
                    ...{ position: "relative", height: 18, minWidth: 60 },
                    ...(isPhone ? { order: 3, flex: "1 0 100%" } : { flex: 1 }),
                  }}
                >
                  {axis.breaks.map(({ at, skippedMs }) => (
                    <Box
                      key={at}
                      aria-hidden
                      title={t("sessions.timeline.pause", { time: formatDuration(skippedMs) })}
                      sx={{
                        ...{ position: "absolute", top: -8, bottom: -8, left: `${(at / length) * 100}%` },
                        ...{ borderLeft: "1px dashed", borderColor: "line.strong" },
                      }}
                    />
                  ))}
                  {line.kind === "agent" ? (
                    <SpanBar span={line.span} place={place} look="agent" />
                  ) : (
                    <CallBars line={line} place={place} />
                  )}
                </Box>
                <LineFigures line={line} isShort={isPhone} />
              </ButtonBase>
              {line.kind === "call" && isOpen && <CallDetail line={line} scope={scope} />}
            </Box>
          );
        })}
      </Box>
    </Box>
  );
};

const COLORS = [
  ["tools", "line.strong"],
  ["firstToken", "series.s2"],
  ["stream", "series.s1"],
  ["failed", "tone.bad.solid"],
] as const;

/** What the colors of this session's bars mean. */
const Legend = ({ lines }: { lines: readonly Line[] }) => {
  const { t } = useTranslation();
  const calls = lines.filter((line) => line.kind === "call");
  const isShown = {
    tools: calls.some(({ tools }) => tools),
    firstToken: calls.some(({ call }) => call.first_token_ms !== null && !call.failed),
    stream: calls.some(({ call }) => !call.failed),
    failed: calls.some(({ call }) => call.failed),
  };
  return (
    <Row gap={3.5} wrap sx={{ mb: 2.5, fontSize: 12, color: "text.secondary", rowGap: 1 }}>
      {COLORS.filter(([name]) => isShown[name]).map(([name, color]) => (
        <Row key={name} gap={1.5}>
          <Box sx={{ width: 10, height: 10, borderRadius: "2px", bgcolor: color }} />
          {t(`sessions.timeline.${name}`)}
        </Row>
      ))}
    </Row>
  );
};
