import Wallet from "@mui/icons-material/AccountBalanceWalletOutlined";
import Bolt from "@mui/icons-material/BoltOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Models from "@mui/icons-material/DifferenceOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Play from "@mui/icons-material/PlayArrowOutlined";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { RowAction } from "../../../components/data-table/column.ts";
import type { Channel } from "../channel.ts";
import { isTagRow, type ListRow, type TagRow } from "../tags/tag-rows.ts";
import type { TagActions } from "../tags/use-tag-actions.ts";
import type { ChannelActions } from "./use-channel-actions.ts";

type Opens = Readonly<{
  edit: (channel: Channel) => void;
  test: (channel: Channel) => void;
  compare: (channel: Channel) => void;
  editTag: (row: TagRow) => void;
}>;

/** The action menu of a channel's or a tag's row. */
export function useRowActions(
  actions: ChannelActions,
  tagActions: TagActions,
  { edit, test, compare, editTag }: Opens,
): (row: ListRow) => readonly RowAction[] {
  const { t } = useTranslation();
  const ofTag = useCallback(
    (row: TagRow): readonly RowAction[] => [
      { label: t("channels.tags.edit"), icon: <Edit />, onSelect: () => editTag(row) },
      { label: t("channels.tags.enable"), icon: <Play />, onSelect: () => tagActions.setStatus(row, true) },
      { label: t("channels.tags.disable"), icon: <Pause />, onSelect: () => tagActions.setStatus(row, false) },
    ],
    [tagActions, editTag, t],
  );
  const ofChannel = useCallback(
    (channel: Channel): readonly RowAction[] => [
      { label: t("channels.test.action"), icon: <Bolt />, onSelect: () => test(channel) },
      { label: t("channels.edit"), icon: <Edit />, onSelect: () => edit(channel) },
      { label: t("channels.updateBalance"), icon: <Wallet />, onSelect: () => actions.updateBalance(channel) },
      { label: t("channels.modelList.action"), icon: <Models />, onSelect: () => compare(channel) },
      { label: t("channels.copy"), icon: <Copy />, onSelect: () => actions.duplicate(channel) },
      { label: t("channels.delete"), icon: <Delete />, onSelect: () => actions.remove(channel), isDangerous: true },
    ],
    [actions, edit, test, compare, t],
  );
  return useCallback((row) => (isTagRow(row) ? ofTag(row) : ofChannel(row)), [ofTag, ofChannel]);
}
