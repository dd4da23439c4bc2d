import Add from "@mui/icons-material/AddOutlined";
import Bolt from "@mui/icons-material/BoltOutlined";
import Build from "@mui/icons-material/BuildOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Download from "@mui/icons-material/DownloadOutlined";
import More from "@mui/icons-material/MoreHorizOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import Upload from "@mui/icons-material/UploadOutlined";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { usePhone } from "../../../components/layout.tsx";
import { useOnceOpened } from "../../../components/once-opened.ts";
import { deleteDisabledChannels, fixChannels, updateBalances } from "../channel-calls.ts";
import { channelCounts } from "../channel-queries.ts";
import { ExportDialog } from "../transfer/ExportDialog.tsx";
import { ImportFile } from "../transfer/ImportDrawer.tsx";

type HeaderActionsProps = Readonly<{
  isTesting: boolean;
  onTestAll: () => void;
  onAdd: () => void;
}>;

/** Actions on all channels; on a phone, all but "add" are in the menu. */
export const HeaderActions = ({ isTesting, onTestAll, onAdd }: HeaderActionsProps) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const upkeep = useUpkeep();
  const counts = useQuery(channelCounts).data;
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  const [isExporting, setExporting] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const close = (then: () => void) => () => {
    setAnchor(null);
    then();
  };
  const disabled = (counts?.disabled ?? 0) + (counts?.auto_disabled ?? 0);
  const everyday = [
    {
      label: t("channels.updateBalances"),
      icon: <Sync />,
      isDisabled: upkeep.isUpdating,
      onSelect: upkeep.updateBalances,
    },
    { label: t("channels.test.allTitle"), icon: <Bolt />, isDisabled: isTesting, onSelect: onTestAll },
  ];
  const rare = [
    {
      label: t("channels.transfer.export"),
      icon: <Download />,
      isDisabled: (counts?.all ?? 0) === 0,
      onSelect: () => setExporting(true),
    },
    {
      label: t("channels.transfer.import"),
      icon: <Upload />,
      isDisabled: false,
      onSelect: () => file.current?.click(),
    },
    { label: t("channels.upkeep.fix"), icon: <Build />, isDisabled: false, onSelect: upkeep.fix },
    {
      label: t("channels.upkeep.deleteDisabled"),
      icon: <Delete />,
      isDisabled: disabled === 0,
      onSelect: upkeep.deleteDisabled,
    },
  ];
  return (
    <>
      <IconButton
        aria-label={t("channels.moreActions")}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        loading={isPhone && upkeep.isUpdating}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <More />
      </IconButton>
      {wasOpened && (
        <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
          {(isPhone ? [...everyday, ...rare] : rare).map(({ label, icon, isDisabled, onSelect }) => (
            <MenuItem key={label} disabled={isDisabled} onClick={close(onSelect)}>
              <ListItemIcon>{icon}</ListItemIcon>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
      {!isPhone &&
        everyday.map(({ label, icon, isDisabled, onSelect }) => (
          <Button key={label} startIcon={icon} loading={isDisabled} loadingPosition="start" onClick={onSelect}>
            {label}
          </Button>
        ))}
      <ImportFile input={file} />
      {isExporting && <ExportDialog ids={undefined} onClose={() => setExporting(false)} />}
      <Button variant="contained" color="primary" startIcon={<Add />} onClick={onAdd}>
        {isPhone ? t("channels.addShort") : t("channels.add")}
      </Button>
    </>
  );
};

/** Maintenance actions on all channels. */
function useUpkeep() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const [isUpdating, setUpdating] = useState(false);
  /** Runs the action, confirms it and reloads the list. */
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
      notifyInfo(t("channels.balancesUpdating"));
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
        // The server deletes all of them, so count them now and without the list's filter.
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
