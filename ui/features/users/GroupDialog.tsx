import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { groupNames } from "../channels/channel-queries.ts";
import { FormDialog } from "../wallet/FormDialog.tsx";

type GroupDialogProps = Readonly<{ count: number; onSet: (group: string) => Promise<void>; onClose: () => void }>;

/** Asks which group the ticked users get. */
export const GroupDialog = ({ count, onSet, onClose }: GroupDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(groupNames).data ?? [];
  const [group, setGroup] = useState("");
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    await onSet(group);
    onClose();
  };
  return (
    <FormDialog
      title={t("users.batch.groupTitle", { count })}
      action={t("users.batch.group")}
      isBusy={isSaving}
      isDisabled={group === ""}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <Field label={t("users.columns.group")} htmlFor={id} hint={t("users.form.groupHint")}>
        <Select
          fullWidth
          value={group}
          SelectDisplayProps={{ id, "aria-label": t("users.columns.group") }}
          onChange={(event) => setGroup(event.target.value)}
        >
          {groups.map((name) => (
            <MenuItem key={name} value={name}>
              {name}
            </MenuItem>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
};
