import Replay from "@mui/icons-material/Replay";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SentBroadcast } from "../../../../src/domain/notifications/broadcasts/broadcast-history.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { broadcastApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { WALLET_KEY } from "../../wallet/wallet-calls.ts";

type Receiver = Readonly<{
  user_id: number;
  username: string;
  method: string;
  is_delivered: boolean;
  sent_at: number;
}>;

/** A notification's text, and whom it reached; it can be sent again to those whom it did not reach. */
export const BroadcastReceivers = ({ broadcast, onClose }: { broadcast: SentBroadcast; onClose: () => void }) => {
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
