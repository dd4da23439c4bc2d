import Campaign from "@mui/icons-material/CampaignOutlined";
import Box from "@mui/material/Box";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SentBroadcast } from "../../../../src/domain/notifications/broadcasts/broadcast-history.ts";
import { readData } from "../../../api/client.ts";
import { broadcastApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { WALLET_KEY } from "../../wallet/wallet-calls.ts";
import { BroadcastReceivers } from "./BroadcastReceivers.tsx";

const TONES: Readonly<Record<SentBroadcast["status"], ToneName>> = {
  ...{ running: "info", finished: "ok", stopped: "idle", failed: "bad", interrupted: "warn" },
};
const REFRESH_MS = 3000;

const LIST = "broadcasts";

/** What was sent to all subscribed users, and to whom it went. `progress`: read again when it changes. */
export const BroadcastHistory = ({ progress }: { progress: string }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const seen = useRef(progress);
  useEffect(() => {
    if (seen.current === progress) return;
    seen.current = progress;
    void queries.invalidateQueries({ queryKey: [...WALLET_KEY, LIST] });
  }, [progress, queries]);
  const [opened, setOpened] = useState<SentBroadcast | null>(null);
  const columns = useMemo((): readonly Column<SentBroadcast>[] => {
    const figure = (key: "delivered" | "failed"): Column<SentBroadcast> => ({
      key,
      head: t(`notifications.history.${key}`),
      width: 96,
      align: "right",
      cell: (sent) => <span className="num">{formatNumber(sent[key])}</span>,
    });
    return [
      { key: "title", head: t("notifications.broadcast.title"), isTitle: true, cell: ({ title }) => title },
      {
        key: "event",
        head: t("notifications.broadcast.kind"),
        width: 136,
        cell: ({ event }) => t(`notifications.events.${event}`, { defaultValue: event }),
      },
      { key: "sender", head: t("notifications.history.sender"), width: 112, cell: ({ sender }) => sender || "–" },
      {
        key: "status",
        head: t("notifications.history.status"),
        width: 120,
        isSolid: true,
        cell: ({ status }) => (
          <StatusChip tone={TONES[status]}>{t(`notifications.history.statuses.${status}`)}</StatusChip>
        ),
      },
      figure("delivered"),
      figure("failed"),
      {
        key: "time",
        head: t("notifications.history.time"),
        width: 112,
        cell: ({ created_at }) => <TimeAgo seconds={created_at} />,
      },
    ];
  }, [t]);
  return (
    <Box component="section">
      <Box component="h2" sx={{ m: 0, mb: 2, fontSize: 15, fontWeight: 600 }}>
        {t("notifications.history.heading")}
      </Box>
      <PagedTable<SentBroadcast>
        name={LIST}
        read={(query, signal) => readData(broadcastApi.history.get({ query, fetch: { signal } }))}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ title }) => title}
        unit={t("notifications.history.unit")}
        onOpen={setOpened}
        pollMs={(rows) => (rows.some(({ status }) => status === "running") ? REFRESH_MS : false)}
        empty={
          <EmptyState
            icon={<Campaign />}
            title={t("notifications.history.none.title")}
            body={t("notifications.history.none.body")}
          />
        }
      />
      {opened && <BroadcastReceivers broadcast={opened} onClose={() => setOpened(null)} />}
    </Box>
  );
};
