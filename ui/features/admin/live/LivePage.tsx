import Pause from "@mui/icons-material/Pause";
import PlayArrow from "@mui/icons-material/PlayArrow";
import SensorsOutlined from "@mui/icons-material/SensorsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { type LiveState, namesText, useLiveCalls } from "./live-calls.ts";
import { LiveCard, useLiveColumns } from "./live-columns.tsx";

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
