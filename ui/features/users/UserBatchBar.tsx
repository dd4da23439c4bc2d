import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Group from "@mui/icons-material/LabelOutlined";
import Remove from "@mui/icons-material/PersonRemoveOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SelectionBar } from "../../components/data-table/SelectionBar.tsx";
import { GroupDialog } from "./GroupDialog.tsx";
import { useUserBatch } from "./use-user-batch.ts";

type UserBatchBarProps = Readonly<{
  ids: readonly number[];
  onClear: () => void;
  /** With those that it was refused for. */
  onDone: (refused: readonly number[]) => void;
}>;

/** What can be done with the ticked users. */
export const UserBatchBar = ({ ids, onClear, onDone }: UserBatchBarProps) => {
  const { t } = useTranslation();
  const batch = useUserBatch(ids, onDone);
  const [isGrouping, setGrouping] = useState(false);
  return (
    <>
      <SelectionBar
        count={ids.length}
        onClear={onClear}
        actions={[
          { label: t("users.actions.enable"), icon: <Check />, onSelect: batch.enable },
          { label: t("users.actions.disable"), icon: <Block />, onSelect: batch.disable },
          { label: t("users.batch.group"), icon: <Group />, onSelect: () => setGrouping(true) },
          { label: t("users.actions.delete"), icon: <Remove />, onSelect: batch.remove, isDangerous: true },
        ]}
      />
      {isGrouping && <GroupDialog count={ids.length} onSet={batch.setGroup} onClose={() => setGrouping(false)} />}
    </>
  );
};
