import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { adminRoles, assignAdminRole } from "../access/admin-role-calls.ts";
import { USERS_KEY, type User } from "./user.ts";

/** Gives a user a custom role, or takes it. */
export const RoleDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const roles = useQuery(adminRoles).data ?? [];
  const { form, change, isSaving, submit } = useCheckedForm({
    initial: { roleId: user.admin_role_id },
    send: async ({ roleId }) => {
      await assignAdminRole(user.id, roleId);
      notifyDone(t("users.customRole.done", { name: user.username }));
      void client.invalidateQueries({ queryKey: USERS_KEY });
      void client.invalidateQueries(adminRoles);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("users.customRole.title", { name: user.username })}
      action={t("users.customRole.save")}
      isBusy={isSaving}
      isDisabled={form.roleId === user.admin_role_id}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t("users.columns.role")} htmlFor={id} hint={t("users.customRole.hint")}>
        <Select
          fullWidth
          size="small"
          inputProps={{ id, "aria-label": t("users.columns.role") }}
          value={form.roleId}
          onChange={({ target }) => change({ roleId: Number(target.value) })}
        >
          <MenuItem value={0}>{t("users.role.user")}</MenuItem>
          {roles.map((role) => (
            <MenuItem key={role.id} value={role.id}>
              {role.name}
            </MenuItem>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
};
