import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Group from "@mui/icons-material/LabelOutlined";
import Remove from "@mui/icons-material/PersonRemoveOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { SelectionBar } from "../../../components/data-table/SelectionBar.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { USERS_KEY } from "./user.ts";
import { manageUsers, type UserBatch } from "./user-form.ts";

type UserBatchBarProps = Readonly<{
  ids: readonly number[];
  onClear: () => void;
  /** Receives the ids of the users for whom it was rejected. */
  onDone: (refused: readonly number[]) => void;
}>;

/** Bulk actions for the selected users. */
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

/** Bulk actions for the selected users; calls `onDone` with the users for whom the action was rejected. */
function useUserBatch(ids: readonly number[], onDone: (refused: readonly number[]) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const count = ids.length;
  const act = async (batch: UserBatch) => {
    try {
      const outcomes = await manageUsers(ids, batch);
      const refused = outcomes.filter(({ success }) => !success);
      const done = outcomes.length - refused.length;
      const [first] = refused;
      if (first) notifyError(t("users.batch.partly", { done, refused: refused.length, message: first.message }));
      else notifyDone(t(`users.batch.done.${batch.action}`, { count: done, group: batch.group }));
      onDone(refused.map(({ id }) => id));
    } catch (error) {
      notifyError(error);
    }
    await client.invalidateQueries({ queryKey: USERS_KEY });
  };
  const askAndAct = async (action: "disable" | "delete") => {
    const isSure = await confirm({
      title: t(`users.batch.ask.${action}.title`, { count }),
      body: t(`users.batch.ask.${action}.body`),
      action: t(`users.actions.${action}`),
      isDangerous: true,
    });
    if (isSure) await act({ action });
  };
  return {
    enable: () => act({ action: "enable" }),
    disable: () => askAndAct("disable"),
    remove: () => askAndAct("delete"),
    setGroup: (group: string) => act({ action: "group", group }),
  };
}

type GroupDialogProps = Readonly<{ count: number; onSet: (group: string) => Promise<void>; onClose: () => void }>;

/** Asks for the new group of the selected users. */
const GroupDialog = ({ count, onSet, onClose }: GroupDialogProps) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  return (
    <ResourceForm
      as="dialog"
      title={t("users.batch.groupTitle", { count })}
      action={t("users.batch.group")}
      isNew
      text={(name) => `users.columns.${name}`}
      initial={{ group: "" }}
      isComplete={({ group }) => group !== ""}
      save={async ({ group }) => {
        await onSet(group);
        return undefined;
      }}
      reload={[]}
      sections={() => [
        {
          fields: [
            { kind: "select", field: "group", hint: t("users.form.groupHint"), options: optionsOf(groups, String) },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
