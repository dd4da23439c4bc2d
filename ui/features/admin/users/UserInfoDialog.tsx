import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Count, Money } from "../../../components/display/Money.tsx";
import { GroupTag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { bindingsOf, type User } from "./user.ts";
import { UserRole, UserStatus } from "./user-columns.tsx";

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
