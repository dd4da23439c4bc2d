import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { readData } from "../../../api/client.ts";
import { channelApi } from "../../../api/groups.ts";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { DISABLED, ENABLED } from "../channel.ts";
import { ACTION_TIMEOUT_MS, createRunning } from "../channel-calls.ts";
import { patchChannel } from "../channel-queries.ts";
import type { TagRow } from "./tag-rows.ts";

export const enabledOf = ({ channels }: TagRow): number => channels.filter(({ status }) => status === ENABLED).length;

/** Actions on all channels of a tag; changes are optimistic and roll back if they fail or take too long. */
export function useTagActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [running] = useState(() => createRunning<string>());
  return useMemo(() => {
    const change = (
      { tag, channels }: TagRow,
      patch: Parameters<typeof patchChannel>[2],
      act: (signal: AbortSignal) => Promise<string>,
    ) => {
      const work = async () => {
        const putBack = await Promise.all(channels.map(({ id }) => patchChannel(client, id, patch)));
        const timeout = AbortSignal.timeout(ACTION_TIMEOUT_MS);
        try {
          notifyDone(await act(timeout));
        } catch (error) {
          await Promise.all(putBack.map((undo) => undo()));
          notifyError(timeout.aborted ? t("channels.timeout") : error);
        }
        void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      };
      if (!running.run(tag, work)) notifyInfo(t("channels.busy"));
    };
    const setStatus = (row: TagRow, isOn: boolean) =>
      change(row, { status: isOn ? ENABLED : DISABLED }, async (signal) => {
        const count = await setTagStatus(row.tag, isOn, signal);
        return t(isOn ? "channels.batch.enabled" : "channels.batch.disabled", { count });
      });
    return {
      setStatus,
      /** Enables all channels, or disables them if all are enabled. */
      toggle: (row: TagRow) => setStatus(row, enabledOf(row) < row.channels.length),
      setNumber: (row: TagRow, field: "priority" | "weight", value: number) =>
        change(row, { [field]: value }, async (signal) => {
          await editTag(row.tag, { [field]: value }, signal);
          return t(`channels.${field}Set`, { name: row.tag, value });
        }),
    };
  }, [client, running, t]);
}

export type TagActions = ReturnType<typeof useTagActions>;

/** Fields to set on every channel of a tag; absent ones stay unchanged. */
type TagChange = Omit<Parameters<typeof channelApi.tag.put>[0], "tag">;

/** Returns how many channels changed. */
const setTagStatus = (tag: string, isOn: boolean, signal?: AbortSignal): Promise<number> =>
  readData(channelApi.tag[isOn ? "enabled" : "disabled"].post({ tag }, { fetch: { signal } }));

/** Returns how many channels the tag has. */
export const editTag = (tag: string, change: TagChange, signal?: AbortSignal): Promise<number> =>
  readData(channelApi.tag.put({ tag, ...change }, { fetch: { signal } }));
