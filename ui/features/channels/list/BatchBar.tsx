import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import DoneAll from "@mui/icons-material/DoneAllOutlined";
import Download from "@mui/icons-material/DownloadOutlined";
import Tag from "@mui/icons-material/LocalOfferOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Play from "@mui/icons-material/PlayArrowOutlined";
import Autocomplete from "@mui/material/Autocomplete";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY, channelTags } from "../../../api/channels/channel-lists.ts";
import { SelectionBar } from "../../../components/data-table/SelectionBar.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useSuggestionTexts } from "../../../components/inputs/suggestion-texts.ts";
import { Field } from "../../../components/layout.tsx";
import { DISABLED, ENABLED } from "../channel.ts";
import { deleteChannels, setChannelsStatus, setChannelsTag } from "../channel-calls.ts";
import { ExportDialog } from "../transfer/ExportDialog.tsx";

type BatchBarProps = Readonly<{
  ids: readonly number[];
  /** How many channels match the filters; in tag mode, the channels of all matching tags. */
  total: number;
  /** In tag mode: the number of tags. */
  tags: number | null;
  onSelectAll: () => void;
  onClear: () => void;
}>;

/** Bulk actions for the selected channels, and a button to select all that match. */
export const BatchBar = ({ ids, total, tags, onSelectAll, onClear }: BatchBarProps) => {
  const { t } = useTranslation();
  const batch = useBatch(ids, onClear);
  const [isTagging, setTagging] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const count = ids.length;
  const all =
    tags === null
      ? t("channels.batch.selectAll", { total })
      : t("channels.batch.selectTags", {
          tags: t("channels.batch.tags", { count: tags }),
          channels: t("channels.tags.count", { count: total }),
        });
  return (
    <>
      <SelectionBar
        count={count}
        label={t("channels.batch.selected", { count })}
        onClear={onClear}
        actions={[
          ...(count < total ? [{ label: all, icon: <DoneAll />, onSelect: onSelectAll }] : []),
          { label: t("channels.enable"), icon: <Play />, onSelect: batch.enable },
          { label: t("channels.disable"), icon: <Pause />, onSelect: batch.disable },
          { label: t("channels.batch.setTag"), icon: <Tag />, onSelect: () => setTagging(true) },
          { label: t("channels.transfer.export"), icon: <Download />, onSelect: () => setExporting(true) },
          { label: t("channels.batch.delete", { count }), icon: <Delete />, onSelect: batch.remove, isDangerous: true },
        ]}
      />
      {isExporting && <ExportDialog ids={ids} onClose={() => setExporting(false)} />}
      {isTagging && <TagDialog count={count} onSet={batch.setTag} onClose={() => setTagging(false)} />}
    </>
  );
};

/** Bulk actions for the selected channels; calls `onDone` afterwards. */
function useBatch(ids: readonly number[], onDone: () => void) {
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

type TagDialogProps = Readonly<{ count: number; onSet: (tag: string) => void; onClose: () => void }>;

/** Asks for the new tag of the selected channels. */
const TagDialog = ({ count, onSet, onClose }: TagDialogProps) => {
  const { t } = useTranslation();
  const suggestionTexts = useSuggestionTexts();
  const id = useId();
  const tags = useQuery(channelTags).data ?? [];
  const [tag, setTag] = useState("");
  const [isChecked, setChecked] = useState(false);
  const isMissing = isChecked && tag.trim() === "";
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (tag.trim() === "") return;
          onSet(tag.trim());
          onClose();
        }}
      >
        <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620 }}>
          {t("channels.batch.tagTitle", { count })}
        </DialogTitle>
        <DialogContent>
          <Field
            label={t("channels.batch.tagLabel")}
            htmlFor={`${id}tag`}
            error={isMissing && t("channels.batch.tagRequired")}
          >
            <Autocomplete
              {...suggestionTexts}
              freeSolo
              options={tags}
              inputValue={tag}
              onInputChange={(_, typed) => setTag(typed)}
              renderInput={({ slotProps }) => (
                <OutlinedInput
                  autoFocus
                  fullWidth
                  ref={slotProps.input.ref}
                  error={isMissing}
                  inputProps={{ ...slotProps.htmlInput, id: `${id}tag` }}
                  endAdornment={slotProps.input.endAdornment}
                />
              )}
            />
          </Field>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button type="submit" variant="contained" color="primary">
            {t("channels.batch.setTag")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
