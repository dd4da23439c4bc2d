import Wallet from "@mui/icons-material/AccountBalanceWalletOutlined";
import Bolt from "@mui/icons-material/BoltOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { RowAction } from "../../components/data-table/column.ts";
import type { Channel } from "./channel.ts";
import type { ChannelActions } from "./use-channel-actions.ts";

/** The menu at the end of a channel's row. */
export function useRowActions(
  actions: ChannelActions,
  edit: (channel: Channel) => void,
  test: (channel: Channel) => void,
): (channel: Channel) => readonly RowAction[] {
  const { t } = useTranslation();
  return useCallback(
    (channel) => [
      { label: t("channels.test.action"), icon: <Bolt />, onSelect: () => test(channel) },
      { label: t("channels.edit"), icon: <Edit />, onSelect: () => edit(channel) },
      { label: t("channels.updateBalance"), icon: <Wallet />, onSelect: () => actions.updateBalance(channel) },
      { label: t("channels.copy"), icon: <Copy />, onSelect: () => actions.duplicate(channel) },
      { label: t("channels.delete"), icon: <Delete />, onSelect: () => actions.remove(channel), isDangerous: true },
    ],
    [actions, edit, test, t],
  );
}
