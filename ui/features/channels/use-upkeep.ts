import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../components/notify.tsx";
import { deleteDisabledChannels, fixChannels, updateBalances } from "./channel-calls.ts";
import { CHANNELS_KEY, channelCounts } from "./channel-queries.ts";

/** What is done with all channels now and then. */
export function useUpkeep() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const [isUpdating, setUpdating] = useState(false);
  /** Does it, says so, reads the list anew. */
  const act = async (work: () => Promise<string>) => {
    try {
      notifyDone(await work());
      await client.invalidateQueries({ queryKey: CHANNELS_KEY });
    } catch (error) {
      notifyError(error);
    }
  };
  return {
    isUpdating,
    updateBalances: async () => {
      setUpdating(true);
      notifyInfo(t("channels.balancesAsked"));
      await act(async () => {
        const { updated, total } = await updateBalances();
        return t("channels.balancesUpdated", { updated, total });
      });
      setUpdating(false);
    },
    fix: async () => {
      const question = {
        title: t("channels.upkeep.fixTitle"),
        body: t("channels.upkeep.fixBody"),
        action: t("channels.upkeep.fixAction"),
      };
      if (await confirm(question)) await act(async () => t("channels.upkeep.fixed", { count: await fixChannels() }));
    },
    deleteDisabled: async () => {
      try {
        // The server deletes all of them, so they are counted now and without the list's filter.
        const { disabled, auto_disabled } = await client.fetchQuery({ ...channelCounts, staleTime: 0 });
        const count = disabled + auto_disabled;
        const isSure = await confirm({
          title: t("channels.upkeep.deleteDisabledTitle", { count }),
          body: t("channels.upkeep.deleteDisabledBody"),
          action: t("channels.batch.delete", { count }),
          isDangerous: true,
        });
        if (isSure) await act(async () => t("channels.batch.deleted", { count: await deleteDisabledChannels() }));
      } catch (error) {
        notifyError(error);
      }
    },
  };
}
