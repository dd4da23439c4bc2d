import Pause from "@mui/icons-material/Pause";
import PlayArrow from "@mui/icons-material/PlayArrow";
import SensorsOutlined from "@mui/icons-material/SensorsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import type { TFunction } from "i18next";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Count, Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDuration } from "../../../lib/format/duration.ts";
import { clockTime } from "../../../lib/format/time.ts";
import { failureText } from "../../../state/failure-text.ts";
import { type LiveState, namesText, useLiveCalls } from "./live-calls.ts";

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

const TONES = { connecting: "idle", open: "ok", lost: "warn" } as const satisfies Record<LiveState, string>;

/** Live calls, for administrators. */
export const LivePage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const [isPaused, setPaused] = useState(false);
  const { calls, waiting, skipped, state, error, clear } = useLiveCalls(isPaused);
  const columns = useLiveColumns();
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
  const model = useDataTable({
    columns,
    rows: shown,
    rowId: idOf,
    rowName: nameOf,
  });
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
        <DataTable
          model={model}
          isCompact
          card={cardOf}
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

const cardOf = (call: LiveCall) => <LiveCard call={call} />;
const idOf = ({ request_id }: LiveCall) => request_id;
const nameOf = ({ model_name, username }: LiveCall) => `${model_name}, ${username}`;
