import Campaign from "@mui/icons-material/CampaignOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useId, useMemo, useState } from "react";
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

const TONES: Readonly<Record<SentBroadcast["status"], ToneName>> = {
  ...{ running: "info", finished: "ok", stopped: "idle", failed: "bad", interrupted: "warn" },
};
const REFRESH_MS = 3000;

/** What was sent to all subscribed users, and to whom it went. */
export const BroadcastHistory = ({ delivered }: { delivered: number }) => {
  const { t } = useTranslation();
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
        name="broadcasts"
        // Sent meanwhile: read again.
        filters={{ delivered }}
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
      {opened && <ReceiversDialog broadcast={opened} onClose={() => setOpened(null)} />}
    </Box>
  );
};

type Receiver = Readonly<{
  user_id: number;
  username: string;
  method: string;
  is_delivered: boolean;
  sent_at: number;
}>;

/** A notification's text, and whom it reached. */
const ReceiversDialog = ({ broadcast, onClose }: { broadcast: SentBroadcast; onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const { id, title, content } = broadcast;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} fullWidth maxWidth="sm">
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1, overflowWrap: "anywhere" }}>
        {title}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ mb: 4, fontSize: 13, lineHeight: "20px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {content}
        </Box>
        <PagedTable<Receiver>
          name={`broadcast-${id}`}
          read={(query, signal) => readData(broadcastApi.history({ id }).get({ query, fetch: { signal } }))}
          columns={[
            {
              key: "user",
              head: t("notifications.history.user"),
              isTitle: true,
              cell: ({ username, user_id }) => `${username} (#${user_id})`,
            },
            {
              key: "method",
              head: t("notifications.history.method"),
              width: 120,
              cell: ({ method }) => t(`notifications.methods.${method}`, { defaultValue: method }),
            },
            {
              key: "outcome",
              head: t("notifications.history.status"),
              width: 124,
              isSolid: true,
              cell: ({ is_delivered: isDelivered }) => (
                <StatusChip tone={isDelivered ? "ok" : "bad"}>
                  {t(`notifications.history.${isDelivered ? "delivered" : "failed"}`)}
                </StatusChip>
              ),
            },
          ]}
          rowId={({ user_id }) => user_id}
          rowName={({ username }) => username}
          unit={t("notifications.history.receivers")}
          empty={<Box sx={{ p: 4, fontSize: 13, color: "text.secondary" }}>{t("notifications.history.nobody")}</Box>}
        />
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};
