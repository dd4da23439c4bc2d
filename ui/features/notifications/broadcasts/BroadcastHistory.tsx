import Campaign from "@mui/icons-material/CampaignOutlined";
import Replay from "@mui/icons-material/Replay";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SentBroadcast } from "../../../../src/domain/notifications/broadcasts/broadcast-history.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { broadcastApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { formatNumber } from "../../../lib/format/number.ts";

type Receiver = Readonly<{
  user_id: number;
  username: string;
  method: string;
  is_delivered: boolean;
  sent_at: number;
}>;

/** A notification's text, and whom it reached; it can be sent again to those whom it did not reach. */
const BroadcastReceivers = ({ broadcast, onClose }: { broadcast: SentBroadcast; onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const { id, title, content } = broadcast;
  const { resend, resendAll, failed } = useResend(broadcast, onClose);
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
          name={receiversKey(id)}
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
              width: 104,
              cell: ({ method }) => t(`notifications.methods.${method}`, { defaultValue: method }),
            },
            {
              key: "outcome",
              head: t("notifications.history.status"),
              width: 112,
              isSolid: true,
              cell: ({ is_delivered: isDelivered, sent_at: sentAt }) => (
                <StatusChip tone={isDelivered ? "ok" : "bad"} reason={<TimeAgo seconds={sentAt} />}>
                  {t(`notifications.history.${isDelivered ? "delivered" : "failed"}`)}
                </StatusChip>
              ),
            },
          ]}
          rowId={({ user_id }) => user_id}
          rowName={({ username }) => username}
          unit={t("notifications.history.receivers")}
          actions={(receiver) =>
            receiver.is_delivered
              ? []
              : [{ label: t("notifications.history.resend"), icon: <Replay />, onSelect: () => resend(receiver) }]
          }
          empty={<Box sx={{ p: 4, fontSize: 13, color: "text.secondary" }}>{t("notifications.history.nobody")}</Box>}
        />
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        {failed > 0 && broadcast.status !== "running" && (
          <Button onClick={resendAll} sx={{ mr: "auto" }}>
            {t("notifications.history.resendAll", { count: failed, formatted: formatNumber(failed) })}
          </Button>
        )}
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

const receiversKey = (id: number) => `broadcast-${id}`;

/** Sends a notification again to one user, or to all whom it did not reach; asks before. `failed`: how many those are. */
function useResend(broadcast: SentBroadcast, onClose: () => void) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { id, title } = broadcast;
  const [failed, setFailed] = useState(broadcast.failed);
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [...WALLET_KEY, receiversKey(id)] }),
      queries.invalidateQueries({ queryKey: [...WALLET_KEY, "broadcasts"] }),
    ]);
  const one = useMutation({
    mutationFn: ({ user_id }: Receiver) => readEnvelope(broadcastApi.history({ id }).resend.post({ user_id })),
    onSuccess: ({ message }) => {
      setFailed((count) => count - 1);
      notifyDone(message);
    },
    onError: notifyError,
    onSettled: refresh,
  });
  const all = useMutation({
    mutationFn: () => readEnvelope(broadcastApi.history({ id }).resend.post({})),
    onSuccess: async () => {
      notifyInfo(t("notifications.history.resendStarted"));
      onClose();
      await queries.invalidateQueries({ queryKey: ["broadcast"] });
    },
    onError: notifyError,
    onSettled: refresh,
  });
  return {
    failed,
    resend: async (receiver: Receiver) => {
      const isSure = await confirm({
        title: t("notifications.history.resendTitle"),
        body: t("notifications.history.resendBody", { title, username: receiver.username }),
        action: t("notifications.history.resend"),
      });
      if (isSure) one.mutate(receiver);
    },
    resendAll: async () => {
      const numbers = { count: failed, formatted: formatNumber(failed) };
      const isSure = await confirm({
        title: t("notifications.history.resendTitle"),
        body: t("notifications.history.resendAllBody", { title, ...numbers }),
        action: t("notifications.history.resendAll", numbers),
      });
      if (isSure) all.mutate();
    },
  };
}

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
