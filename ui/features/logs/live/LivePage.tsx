import Pause from "@mui/icons-material/Pause";
import PlayArrow from "@mui/icons-material/PlayArrow";
import SensorsOutlined from "@mui/icons-material/SensorsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { type Figures, FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDuration } from "../../../lib/format/duration.ts";
import { clockTime } from "../../../lib/format/time.ts";
import { failureText } from "../../../state/failure-text.ts";
import { type LiveState, namesText, useLiveCalls } from "./live-calls.ts";

const DECIMALS = 6;

/** Calls as they happen. */
export const LIVE_CALLS: Figures<LiveCall> = {
  text: (name) => `live.${name}`,
  rowId: ({ request_id: id }) => id,
  rowName: ({ model_name: model, username }) => `${model}, ${username}`,
  columns: [
    { key: "time", kind: "text", of: ({ created_at: at }) => clockTime(at), width: 92 },
    { key: "state", width: 124, isSolid: true, cell: (call) => <StateCell call={call} /> },
    {
      key: "model",
      isTitle: true,
      cell: ({ model_name: model }) => (
        <Box component="span" title={model} sx={{ fontWeight: 550 }}>
          {model}
        </Box>
      ),
    },
    { key: "who", width: 180, cell: whoOf },
    {
      key: "channel",
      kind: "text",
      width: 150,
      of: ({ channel, channel_name: name }) => (channel ? name || `#${channel}` : null),
    },
    { key: "elapsed", kind: "duration", of: ({ is_over: isOver, elapsed_ms: ms }) => (isOver ? ms : null), width: 90 },
    {
      key: "tokens",
      kind: "count",
      width: 110,
      of: ({ is_over: isOver, prompt_tokens: prompt, completion_tokens: completion }) =>
        isOver ? prompt + completion : null,
    },
    {
      key: "cost",
      kind: "money",
      width: 110,
      decimals: DECIMALS,
      of: ({ is_over: isOver, quota }) => (isOver ? quota : null),
    },
  ],
  card: (call) => <LiveCard call={call} />,
};

function whoOf({ username, token_name: key }: LiveCall) {
  return [username, key].filter(Boolean).join(" · ");
}

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
        {whoOf(call)}
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

const TONES = { connecting: "idle", open: "ok", lost: "warn" } as const satisfies Record<LiveState, string>;

/** Live calls, for administrators. */
export const LivePage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const [isPaused, setPaused] = useState(false);
  const { calls, waiting, skipped, state, error, clear } = useLiveCalls(isPaused);
  const text = useDeferredValue(address.text("search"));
  const only = address.text("only");
  const shown = useMemo(
    () =>
      calls.filter(
        (call) =>
          namesText(call, text) && (only === "failed" ? call.failed : only === "running" ? !call.is_over : true),
      ),
    [calls, text, only],
  );
  return (
    <>
      <PageHeader
        title={t("live.title")}
        purpose={t("live.purpose")}
        actions={
          <>
            <Button disabled={calls.length === 0} onClick={clear}>
              {t("live.clear")}
            </Button>
            <Button
              variant="contained"
              color="primary"
              startIcon={isPaused ? <PlayArrow /> : <Pause />}
              aria-pressed={isPaused}
              onClick={() => setPaused(!isPaused)}
            >
              {t(isPaused ? "live.resume" : "live.pause")}
            </Button>
          </>
        }
      />
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("live.search") }}
        filters={[
          {
            key: "only",
            label: t("live.only.label"),
            value: only,
            options: (["failed", "running"] as const).map((value) => ({ value, label: t(`live.only.${value}`) })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value })}
        onClear={address.clear}
        pinned={
          <Row gap={3} sx={{ color: "text.secondary", fontSize: 12.5 }}>
            {skipped > 0 && <span>{t("live.skipped", { count: skipped })}</span>}
            {isPaused && <span>{t("live.waiting", { count: waiting })}</span>}
            <Box role="status">
              <StatusChip tone={TONES[state]} quiet>
                {t(`live.state.${state}`)}
              </StatusChip>
            </Box>
          </Row>
        }
      />
      {error && calls.length === 0 ? (
        <ErrorState error={error} />
      ) : (
        <FigureTable
          table={LIVE_CALLS}
          rows={shown}
          isCompact
          empty={
            <EmptyState
              icon={<SensorsOutlined />}
              title={t(calls.length ? "live.none" : "live.quiet")}
              body={t(calls.length ? "live.noneBody" : "live.quietBody")}
            />
          }
        />
      )}
    </>
  );
};
