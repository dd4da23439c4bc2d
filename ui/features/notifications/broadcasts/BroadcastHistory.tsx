import Campaign from "@mui/icons-material/CampaignOutlined";
import Replay from "@mui/icons-material/Replay";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SentBroadcast } from "../../../../src/domain/notifications/broadcasts/broadcast-history.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { broadcastApi } from "../../../api/groups.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
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
  const { title, content } = broadcast;
  const { resendAll, failed, setFailed } = useResend(broadcast, onClose);
  const receivers = useMemo(
    () => receiversOf(broadcast, () => setFailed((count) => count - 1)),
    [broadcast, setFailed],
  );
  return (
    <ViewDialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {failed > 0 && broadcast.status !== "running" && (
            <Button onClick={resendAll} sx={{ mr: "auto" }}>
              {t("notifications.history.resendAll", { count: failed, formatted: formatNumber(failed) })}
            </Button>
          )}
          <Button onClick={onClose}>{t("components.close")}</Button>
        </>
      }
    >
      <Box sx={{ mb: 4, fontSize: 13, lineHeight: "20px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {content}
      </Box>
      <ListTable list={receivers} />
    </ViewDialog>
  );
};

/** Whom a notification went to; `onResent`: it reached one more. */
export const receiversOf = (
  { id, title }: Pick<SentBroadcast, "id" | "title">,
  onResent: () => void,
): ResourceList<Receiver> => ({
  text: (name) => `notifications.history.${name}`,
  icon: Campaign,
  rows: {
    key: receiversKey(id),
    read: (query, signal) => readData(broadcastApi.history({ id }).get({ query, fetch: { signal } })),
  },
  rowId: ({ user_id: userId }) => userId,
  rowName: ({ username }) => username,
  unit: "notifications.history.receivers",
  columns: [
    {
      key: "user",
      kind: "text",
      head: "notifications.history.user",
      isTitle: true,
      of: ({ username, user_id: userId }) => `${username} (#${userId})`,
    },
    { key: "method", kind: "choice", texts: "notifications.methods", head: "notifications.history.method", width: 104 },
    {
      key: "outcome",
      kind: "status",
      head: "notifications.history.status",
      width: 112,
      of: ({ is_delivered: isDelivered, sent_at: sentAt }) => ({
        tone: isDelivered ? "ok" : "bad",
        reason: <TimeAgo seconds={sentAt} />,
        text: `notifications.history.${isDelivered ? "delivered" : "failed"}`,
      }),
    },
  ],
  actions: [
    {
      name: "resend",
      icon: Replay,
      needs: "settings:act",
      isShown: ({ is_delivered: isDelivered }) => !isDelivered,
      ask: true,
      values: ({ username }) => ({ title, username }),
      async work({ user_id }) {
        const { message } = await readEnvelope(broadcastApi.history({ id }).resend.post({ user_id }));
        onResent();
        return message;
      },
    },
  ],
  empty: { title: "notifications.history.nobody", body: "" },
  reload: [{ queryKey: receiversKey(id) }, { queryKey: LIST_KEY }],
});

const receiversKey = (id: number) => [...WALLET_KEY, `broadcast-${id}`] as const;

/** Sends a notification again to all whom it did not reach; asks before. `failed`: how many those are. */
function useResend(broadcast: SentBroadcast, onClose: () => void) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { id, title } = broadcast;
  const [failed, setFailed] = useState(broadcast.failed);
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: receiversKey(id) }),
      queries.invalidateQueries({ queryKey: LIST_KEY }),
    ]);
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
    setFailed,
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

const LIST_KEY = [...WALLET_KEY, "broadcasts"] as const;

/** What was sent to all subscribed users. */
export const BROADCASTS: ResourceList<SentBroadcast> = {
  text: (name) => `notifications.history.${name}`,
  icon: Campaign,
  rows: {
    key: LIST_KEY,
    read: (query, signal) => readData(broadcastApi.history.get({ query, fetch: { signal } })),
    pollMs: (rows) => (rows.some(({ status }) => status === "running") ? REFRESH_MS : false),
  },
  rowId: ({ id }) => id,
  rowName: ({ title }) => title,
  unit: "notifications.history.unit",
  columns: [
    { key: "title", kind: "text", head: "notifications.broadcast.title", isTitle: true },
    { key: "event", kind: "choice", texts: "notifications.events", head: "notifications.broadcast.kind", width: 136 },
    { key: "sender", kind: "text", head: "notifications.history.sender", width: 112 },
    {
      key: "status",
      kind: "status",
      head: "notifications.history.status",
      width: 120,
      of: ({ status }) => ({ tone: TONES[status], text: `notifications.history.statuses.${status}` }),
    },
    { key: "delivered", kind: "number", head: "notifications.history.delivered", width: 96 },
    { key: "failed", kind: "number", head: "notifications.history.failed", width: 96 },
    { key: "time", kind: "time", head: "notifications.history.time", of: "created_at", width: 112 },
  ],
  onRow: { open: (broadcast, close) => <BroadcastReceivers broadcast={broadcast} onClose={close} /> },
  empty: { title: "notifications.history.none.title", body: "notifications.history.none.body" },
};

/** What was sent, and to whom it went. `progress`: read again when it changes. */
export const BroadcastHistory = ({ progress }: { progress: string }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const seen = useRef(progress);
  useEffect(() => {
    if (seen.current === progress) return;
    seen.current = progress;
    void queries.invalidateQueries({ queryKey: LIST_KEY });
  }, [progress, queries]);
  return (
    <Box component="section">
      <Box component="h2" sx={{ m: 0, mb: 2, fontSize: 15, fontWeight: 600 }}>
        {t("notifications.history.heading")}
      </Box>
      <ListTable list={BROADCASTS} />
    </Box>
  );
};
