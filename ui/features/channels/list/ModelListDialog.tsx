import Sync from "@mui/icons-material/SyncOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ModelListView } from "../../../../src/domain/channels/upstream/model-list.ts";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { readData } from "../../../api/client.ts";
import { channelUpstreamApi } from "../../../api/groups.ts";
import { replaceData } from "../../../api/replace-data.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { FormSkeleton } from "../cells/FormSkeleton.tsx";
import type { Channel } from "../channel.ts";
import { NameCheckList } from "../drawer/ModelPicker.tsx";

const NONE: ReadonlySet<string> = new Set();
const LIST_PX = 160;

/** Compares the upstream's models with the channel's, and applies the selected changes. */
export const ModelListDialog = ({ channel, onClose }: { channel: Channel; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const stored = useQuery(modelList(channel.id));
  /** The deselected models; all others are applied. */
  const [left, setLeft] = useState(NONE);
  const [isIgnoring, setIgnoring] = useState(false);
  const refresh = useMutation({
    mutationFn: () => refreshModelList(channel.id),
    onSuccess: (list) => replaceData(client, modelList(channel.id).queryKey, list),
    onError: notifyError,
    onSettled: () => void client.invalidateQueries({ queryKey: CHANNELS_KEY }),
  });
  const list = stored.data;
  const chosen = (names: readonly string[]) => names.filter((name) => !left.has(name));
  const take = useMutation({
    mutationFn: ({ added, removed }: ModelList) =>
      applyModels(channel.id, {
        add: chosen(added),
        remove: chosen(removed),
        ignore: isIgnoring ? added.filter((name) => left.has(name)) : [],
      }),
    onSuccess: () => {
      notifyDone(t("channels.modelList.taken", { name: channel.name }));
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      onClose();
    },
    onError: notifyError,
  });
  const setTicked = (names: readonly string[], on: boolean) => {
    const next = new Set(left);
    for (const name of names) on ? next.delete(name) : next.add(name);
    setLeft(next);
  };
  const added = chosen(list?.added ?? []).length;
  const removed = chosen(list?.removed ?? []).length;
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="sm">
      <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620, pb: 1, overflowWrap: "anywhere" }}>
        {t("channels.modelList.title", { name: channel.name })}
      </DialogTitle>
      <DialogContent sx={{ pb: 0 }}>
        <Row gap={3} wrap sx={{ fontSize: 12.5, color: "text.secondary", minHeight: 36 }}>
          <span>
            {list && list.checked_time > 0 ? (
              <>
                {t("channels.modelList.checkedAt")} <TimeAgo seconds={list.checked_time} />
              </>
            ) : (
              t("channels.modelList.never")
            )}
          </span>
          <Button
            size="small"
            startIcon={<Sync />}
            loading={refresh.isPending}
            loadingPosition="start"
            onClick={() => refresh.mutate()}
          >
            {t("channels.modelList.refresh")}
          </Button>
        </Row>
        {list?.error && (
          <Box sx={{ fontSize: 12.5, color: "tone.bad.text", overflowWrap: "anywhere" }}>
            {t("channels.modelList.failed", { reason: list.error })}
          </Box>
        )}
        {!list &&
          (stored.isError ? <ErrorState error={stored.error} onRetry={() => stored.refetch()} /> : <FormSkeleton />)}
        {list && list.added.length + list.removed.length === 0 && list.checked_time > 0 && (
          <Box sx={{ py: 6, textAlign: "center", color: "text.tertiary" }}>{t("channels.modelList.same")}</Box>
        )}
        {list &&
          (["added", "removed"] as const).map((side) => {
            const names = list[side];
            if (names.length === 0) return null;
            const ticked = new Set(chosen(names));
            return (
              <Box key={side} sx={{ mt: 3 }}>
                <FormControlLabel
                  control={
                    <Checkbox
                      checked={ticked.size === names.length}
                      indeterminate={ticked.size > 0 && ticked.size < names.length}
                      onChange={(event) => setTicked(names, event.target.checked)}
                    />
                  }
                  label={t(`channels.modelList.${side}`, { count: names.length })}
                  slotProps={{ typography: { sx: { fontSize: 13, fontWeight: 560 } } }}
                  sx={{ ml: 0, gap: 2 }}
                />
                <NameCheckList
                  names={names}
                  ticked={ticked}
                  height={Math.min(names.length * 32, LIST_PX)}
                  onTick={(name, on) => setTicked([name], on)}
                />
              </Box>
            );
          })}
        {list?.added.some((name) => left.has(name)) && (
          <FormControlLabel
            control={<Checkbox checked={isIgnoring} onChange={(event) => setIgnoring(event.target.checked)} />}
            label={t("channels.modelList.ignore")}
            slotProps={{ typography: { sx: { fontSize: 13 } } }}
            sx={{ ml: 0, mt: 2, gap: 2 }}
          />
        )}
      </DialogContent>
      <DialogActions sx={{ px: 6, py: 4 }}>
        <Button onClick={onClose}>{t("components.cancel")}</Button>
        <Button
          variant="contained"
          color="primary"
          loading={take.isPending}
          disabled={!list || (added + removed === 0 && !isIgnoring)}
          onClick={() => list && take.mutate(list)}
        >
          {t("channels.modelList.take", { added, removed })}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

type ModelList = ModelListView;

/** How a channel's models differ from its upstream's at the last check. */
const modelList = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "model-list", id],
    queryFn: ({ signal }) => readData(channelUpstreamApi({ id }).model_list.get({ fetch: { signal } })),
  });

/** Fetches the upstream's models now. */
const refreshModelList = (id: number): Promise<ModelList> =>
  readData(channelUpstreamApi({ id }).model_list.refresh.post({}));

type ModelChanges = Readonly<{ add: readonly string[]; remove: readonly string[]; ignore: readonly string[] }>;

/** Adds models to the channel and removes others; ignored ones are not reported again. */
const applyModels = (id: number, { add, remove, ignore }: ModelChanges) =>
  readData(
    channelUpstreamApi({ id }).model_list.take.post({ add: [...add], remove: [...remove], ignore: [...ignore] }),
  );
