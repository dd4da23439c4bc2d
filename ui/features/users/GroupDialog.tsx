import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { useCheckedForm } from "../../components/use-checked-form.ts";
import { groupNames } from "../channels/channel-queries.ts";
import { FormDialog } from "../wallet/FormDialog.tsx";

type GroupDialogProps = Readonly<{ count: number; onSet: (group: string) => Promise<void>; onClose: () => void }>;

/** Asks which group the ticked users get. */
export const GroupDialog = ({ count, onSet, onClose }: GroupDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(groupNames).data ?? [];
  const { form, change, isSaving, submit } = useCheckedForm({
    initial: { group: "" },
    send: async ({ group }) => {
      await onSet(group);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("users.batch.groupTitle", { count })}
      action={t("users.batch.group")}
      isBusy={isSaving}
      isDisabled={form.group === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t("users.columns.group")} htmlFor={id} hint={t("users.form.groupHint")}>
        <Select
          fullWidth
          value={form.group}
          SelectDisplayProps={{ id, "aria-label": t("users.columns.group") }}
          onChange={(event) => change({ group: event.target.value })}
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
