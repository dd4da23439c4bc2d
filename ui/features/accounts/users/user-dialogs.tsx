import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { amountText, Count, Money, useMoneyFormat } from "../../../components/display/Money.tsx";
import { GroupTag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { Field } from "../../../components/layout.tsx";
import { adminRoles, assignAdminRole } from "../access/access-calls.ts";
import { bindingsOf, USERS_KEY, type User } from "./user.ts";
import { UserRole, UserStatus } from "./user-columns.tsx";
import { addQuota } from "./user-form.ts";

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

/** All details of a user, read-only. */
export const UserInfoDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {user.username}
      </DialogTitle>
      <DialogContent>
        <KeyValue
          width={140}
          items={[
            [t("users.columns.id"), user.id],
            [t("users.columns.displayName"), user.display_name || "–"],
            [t("users.columns.role"), <UserRole key="role" user={user} />],
            [t("users.columns.status"), <UserStatus key="status" user={user} />],
            [t("users.columns.group"), <GroupTag key="group" group={user.group} />],
            [t("users.columns.quota"), <Money key="quota" quota={user.quota} />],
            [t("users.columns.held"), <Money key="held" quota={user.held_quota} />],
            [t("users.columns.used"), <Money key="used" quota={user.used_quota} />],
            [t("users.columns.calls"), <Count key="calls" value={user.request_count} />],
            [t("users.columns.invited"), <Count key="invited" value={user.aff_count} />],
            [t("users.columns.rewards"), <Money key="rewards" quota={user.aff_quota} />],
            [t("users.columns.inviter"), user.inviter_id ? `#${user.inviter_id}` : "–"],
            ...bindingsOf(user).map(({ name, value }) => [t(`users.bindings.${name}`), value || "–"] as const),
            [t("users.columns.created"), <TimeAgo key="created" seconds={user.created_time} />],
            [
              t("users.columns.lastLogin"),
              user.last_login_time ? <TimeAgo key="login" seconds={user.last_login_time} /> : t("users.never"),
            ],
            [t("users.columns.note"), user.note || "–"],
          ]}
        />
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

const PICKS = [1, 10, 50, 100, 500];

/** Adds to or subtracts from a balance: old + delta = new. */
export const QuotaDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const money = useMoneyFormat();
  const { form, change, isSaving, submit } = useCheckedForm({
    initial: { delta: "" },
    send: async (typed) => {
      const { quota } = await addQuota(user.id, numberOf(typed.delta));
      notifyDone(t("users.quota.done", { name: user.username, quota: amountText(quota, money) }));
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
    },
  });
  const delta = numberOf(form.delta);
  const isTooLow = user.quota + delta < 0;
  return (
    <FormDialog
      title={t("users.quota.title", { name: user.username })}
      action={t(delta < 0 ? "users.quota.take" : "users.quota.add")}
      isBusy={isSaving}
      isDisabled={delta === 0 || isTooLow}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t("users.quota.delta")}
        htmlFor={id}
        hint={t("users.quota.hint")}
        error={isTooLow ? t("users.quota.tooLow") : undefined}
      >
        <QuotaInput
          id={id}
          value={form.delta}
          onChange={(text) => change({ delta: text })}
          picks={PICKS}
          hasError={isTooLow}
        />
      </Field>
      <Box role="status" className="num" sx={{ mt: 4, fontSize: 14, fontWeight: 560 }}>
        {t("users.quota.sum", {
          before: amountText(user.quota, money),
          delta: amountText(delta, money),
          after: amountText(user.quota + delta, money),
        })}
      </Box>
    </FormDialog>
  );
};

/** 0 while the input is not a whole number. */
const numberOf = (text: string): number => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0);
