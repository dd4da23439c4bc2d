import { useTranslation } from "react-i18next";
import { StatusChip } from "../../components/StatusChip.tsx";
import { Tag } from "../../components/Tag.tsx";
import { ACTIVE, BANNED, ROLE, type User } from "./user.ts";

/** Active, banned or deregistered. */
export const UserStatus = ({ user }: { user: User }) => {
  const { t } = useTranslation();
  if (user.DeletedAt !== null) return <StatusChip tone="idle">{t("users.status.deregistered")}</StatusChip>;
  if (user.status === ACTIVE)
    return (
      <StatusChip tone="ok" quiet>
        {t("users.status.active")}
      </StatusChip>
    );
  return (
    <StatusChip tone="bad">{t(user.status === BANNED ? "users.status.banned" : "users.status.unknown")}</StatusChip>
  );
};

/** What somebody is on this site. */
export const UserRole = ({ role }: { role: number }) => {
  const { t } = useTranslation();
  if (role === ROLE.user) return <span>{t("users.role.user")}</span>;
  if (role === ROLE.admin) return <Tag>{t("users.role.admin")}</Tag>;
  return <Tag>{t(role === ROLE.root ? "users.role.root" : "users.role.unknown")}</Tag>;
};
