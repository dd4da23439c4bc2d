import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { notifyDone, notifyError, notifyInfo, notifyUndo } from "../../../components/feedback/notify.tsx";
import { balanceText } from "../cells/status-cells.tsx";
import { type Channel, DISABLED, ENABLED } from "../channel.ts";
import { ACTION_TIMEOUT_MS, copyChannel, createRunning, updateBalance, updateChannel } from "../channel-calls.ts";
import { patchChannel } from "../channel-queries.ts";

/** Actions on one channel. Changes are optimistic and roll back if they fail or take longer than 15 seconds. */
export function useChannelActions() {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const [running] = useState(() => createRunning());

  return useMemo(() => {
    const refresh = () => client.invalidateQueries({ queryKey: CHANNELS_KEY });
    /** One action at a time per channel. */
    const alone = (channel: Channel, action: () => Promise<void>) => {
      const started = running.run(channel.id, () => action().catch(notifyError));
      if (!started) notifyInfo(t("channels.busy"));
    };
    const change = (
      channel: Channel,
      patch: Partial<Pick<Channel, "status" | "priority" | "weight">>,
      onDone: () => void,
    ) =>
      alone(channel, async () => {
        const putBack = await patchChannel(client, channel.id, patch);
        const timeout = AbortSignal.timeout(ACTION_TIMEOUT_MS);
        try {
          await updateChannel(channel.id, patch, timeout);
          onDone();
        } catch (error) {
          await putBack();
          notifyError(timeout.aborted ? t("channels.timeout") : error);
        }
        void refresh();
      });

    return {
      toggle: (channel: Channel) => {
        const isOn = channel.status === ENABLED;
        const done = t(isOn ? "channels.disabledToast" : "channels.enabledToast", { name: channel.name });
        change(channel, { status: isOn ? DISABLED : ENABLED }, () => notifyDone(done));
      },
      setNumber: (channel: Channel, field: "priority" | "weight", value: number) =>
        change(channel, { [field]: value }, () => {
          const message = t(`channels.${field}Set`, { name: channel.name, value });
          notifyUndo(message, t("channels.undo"), () => change(channel, { [field]: channel[field] }, () => {}));
        }),
      duplicate: (channel: Channel) =>
        alone(channel, async () => {
          await copyChannel(channel.id, t("channels.copyName", { name: channel.name }));
          notifyDone(t("channels.copied", { name: channel.name }));
          await refresh();
        }),
      updateBalance: (channel: Channel) =>
        alone(channel, async () => {
          try {
            const balance = balanceText(await updateBalance(channel.id), i18n.language);
            notifyDone(t("channels.balanceUpdated", { name: channel.name, balance }));
          } finally {
            // The row also shows why the request failed.
            await refresh();
          }
        }),
    };
  }, [client, running, t, i18n.language]);
}

export type ChannelActions = ReturnType<typeof useChannelActions>;
