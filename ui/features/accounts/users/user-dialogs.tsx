import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { amountText, Count, exactAmountText, Money, useMoneyFormat } from "../../../components/display/Money.tsx";
import { GroupTag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { adminRoles, assignAdminRole } from "../access/access-calls.ts";
import { bindingsOf, USERS_KEY, type User } from "./user.ts";
import { addQuota } from "./user-form.ts";
import { UserRole, UserStatus } from "./user-marks.tsx";

/** Gives a user a custom role, or takes it. */
export const RoleDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const roles = useQuery(adminRoles).data ?? [];
  return (
    <ResourceForm
      as="dialog"
      title={t("users.customRole.title", { name: user.username })}
      action={t("users.customRole.save")}
      isNew={false}
      text={(name) => `users.customRole.${name}`}
      initial={{ roleId: user.admin_role_id }}
      isComplete={({ roleId }) => roleId !== user.admin_role_id}
      save={async ({ roleId }) => {
        await assignAdminRole(user.id, roleId);
        return t("users.customRole.done", { name: user.username });
      }}
      reload={[{ queryKey: USERS_KEY }, adminRoles]}
      sections={() => [
        {
          fields: [
            {
              kind: "select",
              field: "roleId",
              label: t("users.columns.role"),
              hint: t("users.customRole.hint"),
              options: [[0, t("users.role.user")], ...roles.map(({ id, name }) => [id, name] as const)],
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** All details of a user, read-only. */
export const UserInfoDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ViewDialog title={user.username} onClose={onClose}>
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
    </ViewDialog>
  );
};

const PICKS = [1, 10, 50, 100, 500];

/** Adds to or subtracts from a balance: old + delta = new. */
export const QuotaDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  const after = (delta: string) => user.quota + numberOf(delta);
  return (
    <ResourceForm
      as="dialog"
      title={t("users.quota.title", { name: user.username })}
      action={({ delta }) => t(numberOf(delta) < 0 ? "users.quota.take" : "users.quota.add")}
      isNew
      text={(name) => `users.quota.${name}`}
      initial={{ delta: "" }}
      isComplete={({ delta }) => numberOf(delta) !== 0 && after(delta) >= 0}
      save={async ({ delta }) => {
        const { quota } = await addQuota(user.id, numberOf(delta));
        return t("users.quota.done", { name: user.username, quota: amountText(quota, money) });
      }}
      reload={[{ queryKey: USERS_KEY }]}
      sections={({ delta }) => [
        {
          fields: [
            {
              kind: "quota",
              field: "delta",
              hint: t("users.quota.hint"),
              error: after(delta) < 0 && t("users.quota.tooLow"),
              picks: PICKS,
            },
            <Box key="sum" role="status" className="num" sx={{ fontSize: 14, fontWeight: 560 }}>
              {t("users.quota.sum", {
                before: exactAmountText(user.quota, money),
                delta: exactAmountText(numberOf(delta), money),
                after: exactAmountText(after(delta), money),
              })}
            </Box>,
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** 0 while the input is not a whole number. */
const numberOf = (text: string): number => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0);

type GroupDialogProps = Readonly<{ count: number; onSet: (group: string) => Promise<unknown>; onClose: () => void }>;

/** Asks for the new group of the selected users. */
export const GroupDialog = ({ count, onSet, onClose }: GroupDialogProps) => {
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
