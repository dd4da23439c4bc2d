import Box from "@mui/material/Box";
import CircularProgress from "@mui/material/CircularProgress";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { Count, Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { clockTime } from "../../../lib/format/time.ts";
import { failureText } from "../../../state/failure-text.ts";

const DECIMALS = 6;

/** The columns of live calls. */
export function useLiveColumns(): readonly Column<LiveCall>[] {
  const { t } = useTranslation();
  return useMemo(() => columnsOf(t), [t]);
}

const columnsOf = (t: TFunction): readonly Column<LiveCall>[] => [
  { key: "time", head: t("live.columns.time"), width: 92, cell: ({ created_at }) => clockTime(created_at) },
  { key: "state", head: t("live.columns.state"), width: 124, isSolid: true, cell: (call) => <StateCell call={call} /> },
  {
    key: "model",
    head: t("live.columns.model"),
    isTitle: true,
    cell: ({ model_name }) => (
      <Box component="span" title={model_name} sx={{ fontWeight: 550 }}>
        {model_name}
      </Box>
    ),
  },
  {
    key: "who",
    head: t("live.columns.who"),
    width: 180,
    cell: ({ username, token_name }) => [username, token_name].filter(Boolean).join(" · "),
  },
  {
    key: "channel",
    head: t("live.columns.channel"),
    width: 150,
    cell: ({ channel, channel_name }) => (channel ? channel_name || `#${channel}` : "–"),
  },
  {
    key: "elapsed",
    head: t("live.columns.elapsed"),
    width: 90,
    align: "right",
    cell: ({ is_over, elapsed_ms }) => (is_over ? formatDuration(elapsed_ms) : "–"),
  },
  {
    key: "tokens",
    head: t("live.columns.tokens"),
    width: 110,
    align: "right",
    cell: ({ is_over, prompt_tokens, completion_tokens }) =>
      is_over ? <Count value={prompt_tokens + completion_tokens} /> : "–",
  },
  {
    key: "cost",
    head: t("live.columns.cost"),
    width: 110,
    align: "right",
    cell: ({ is_over, quota }) => (is_over ? <Money quota={quota} decimals={DECIMALS} /> : "–"),
  },
];

const StateCell = ({ call }: { call: LiveCall }) => {
  const { t } = useTranslation();
  if (!call.is_over)
    return (
      <Row gap={2}>
        <CircularProgress size={12} thickness={6} aria-hidden />
        {t("live.running")}
      </Row>
    );
  if (!call.failed)
    return (
      <StatusChip tone="ok" quiet>
        {call.status || t("live.done")}
      </StatusChip>
    );
  return (
    <StatusChip tone="bad" {...(call.error && { reason: failureText(call) })}>
      {call.status || t("live.failed")}
    </StatusChip>
  );
};

/** A call on a phone: status, caller, duration and cost. */
export const LiveCard = ({ call }: { call: LiveCall }) => (
  <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>
    <Row gap={2}>
      <StateCell call={call} />
      <Box component="span" sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
        {[call.username, call.token_name].filter(Boolean).join(" · ")}
      </Box>
      <Box sx={{ flex: 1 }} />
      <span className="num">{clockTime(call.created_at)}</span>
    </Row>
    {call.is_over && (
      <Row gap={2} sx={{ mt: 1.5 }}>
        <Box component="span" sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          {call.channel_name || (call.channel ? `#${call.channel}` : "–")}
        </Box>
        <Box sx={{ flex: 1 }} />
        <span className="num">{formatDuration(call.elapsed_ms)}</span>
        <Box component="span" sx={{ color: "text.primary", fontWeight: 600 }}>
          <Money quota={call.quota} decimals={6} />
        </Box>
      </Row>
    )}
  </Box>
);
