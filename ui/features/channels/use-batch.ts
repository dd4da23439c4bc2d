import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { DISABLED, ENABLED } from "./channel.ts";
import { deleteChannels, setChannelsStatus, setChannelsTag } from "./channel-calls.ts";
import { CHANNELS_KEY } from "./channel-queries.ts";

/** What can be done with all ticked channels; `onDone` follows when it is done. */
export function useBatch(ids: readonly number[], onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();

  const finish = () => {
    onDone();
    return client.invalidateQueries({ queryKey: CHANNELS_KEY });
  };
  const setStatus = async (status: typeof ENABLED | typeof DISABLED) => {
    try {
      const count = await setChannelsStatus(ids, status);
      notifyDone(t(status === ENABLED ? "channels.batch.enabled" : "channels.batch.disabled", { count }));
    } catch (error) {
      notifyError(error);
    }
    await finish();
  };
  return {
    enable: () => setStatus(ENABLED),
    disable: () => setStatus(DISABLED),
    setTag: async (tag: string) => {
      try {
        notifyDone(t("channels.batch.tagged", { count: await setChannelsTag(ids, tag) }));
        await finish();
      } catch (error) {
        notifyError(error);
      }
    },
    remove: async () => {
      const isSure = await confirm({
        title: t("channels.batch.deleteTitle", { count: ids.length }),
        body: t("channels.batch.deleteBody"),
        action: t("channels.batch.delete", { count: ids.length }),
        isDangerous: true,
      });
      if (!isSure) return;
      try {
        notifyDone(t("channels.batch.deleted", { count: await deleteChannels(ids) }));
        await finish();
      } catch (error) {
        notifyError(error);
      }
    },
  };
}
