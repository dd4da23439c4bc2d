import Box from "@mui/material/Box";
import type { TFunction } from "i18next";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { Count, Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { GroupTag, Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { Row } from "../../../components/layout.tsx";
import { ACTIVE, BANNED, ROLE, type User } from "./user.ts";

/** The columns of the list of users. */
export function useUserColumns(): readonly Column<User>[] {
  const { t } = useTranslation();
  return useMemo(() => columnsOf(t), [t]);
}

const columnsOf = (t: TFunction): readonly Column<User>[] => [
  { key: "id", head: t("users.columns.id"), sortKey: "id", width: 64, cell: ({ id }) => quiet(id) },
  {
    key: "username",
    head: t("users.columns.username"),
    sortKey: "username",
    isTitle: true,
    cell: ({ username, display_name, note }) => (
      <Box component="span" title={note || username}>
        <Box component="span" sx={{ fontWeight: 560 }}>
          {username}
        </Box>
        {display_name && display_name !== username && (
          <Box component="span" sx={{ ml: 2, color: "text.tertiary" }}>
            {display_name}
          </Box>
        )}
      </Box>
    ),
  },
  {
    key: "role",
    head: t("users.columns.role"),
    sortKey: "role",
    width: 112,
    isSolid: true,
    cell: (user) => <UserRole user={user} />,
  },
  {
    key: "status",
    head: t("users.columns.status"),
    width: 120,
    isSolid: true,
    cell: (user) => <UserStatus user={user} />,
  },
  { key: "group", head: t("users.columns.group"), width: 104, cell: ({ group }) => <GroupTag group={group} /> },
  {
    key: "quota",
    head: t("users.columns.quota"),
    sortKey: "quota",
    width: 104,
    align: "right",
    cell: ({ quota }) => <Money quota={quota} />,
  },
  {
    key: "used",
    head: t("users.columns.used"),
    sortKey: "used_quota",
    width: 104,
    align: "right",
    cell: ({ used_quota }) => <Money quota={used_quota} />,
  },
  {
    key: "calls",
    head: t("users.columns.calls"),
    sortKey: "request_count",
    width: 88,
    align: "right",
    cell: ({ request_count }) => <Count value={request_count} dim={request_count === 0} />,
  },
  {
    key: "invited",
    head: t("users.columns.invited"),
    sortKey: "aff_count",
    width: 88,
    align: "right",
    isHiddenByDefault: true,
    cell: ({ aff_count }) => <Count value={aff_count} dim={aff_count === 0} />,
  },
  {
    key: "email",
    head: t("users.columns.email"),
    width: 180,
    isHiddenByDefault: true,
    cell: ({ email }) => email || quiet("–"),
  },
  {
    key: "note",
    head: t("users.columns.note"),
    width: 160,
    isHiddenByDefault: true,
    cell: ({ note }) => note || quiet("–"),
  },
  {
    key: "lastLogin",
    head: t("users.columns.lastLogin"),
    sortKey: "last_login_time",
    width: 104,
    cell: ({ last_login_time }) => (last_login_time ? <TimeAgo seconds={last_login_time} /> : quiet(t("users.never"))),
  },
  {
    key: "created",
    head: t("users.columns.created"),
    sortKey: "created_time",
    width: 104,
    isHiddenByDefault: true,
    cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
  },
];

const quiet = (text: ReactNode): ReactNode => (
  <Box component="span" className="num" sx={{ color: "text.tertiary" }}>
    {text}
  </Box>
);

/** A user on a phone: status and balance. */
export const UserCard = ({ user }: { user: User }) => (
  <Row sx={{ justifyContent: "space-between" }}>
    <Row gap={3}>
      <UserStatus user={user} />
      {(user.role !== ROLE.user || user.admin_role !== "" || user.kind === "organization") && <UserRole user={user} />}
    </Row>
    <Money quota={user.quota} strong />
  </Row>
);

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

/** A user's role, or that it is an organization. */
export const UserRole = ({ user }: { user: Pick<User, "role" | "kind" | "admin_role"> }) => {
  const { t } = useTranslation();
  const { role, kind, admin_role: customRole } = user;
  if (kind === "organization") return <Tag tone="info">{t("users.kind.organization")}</Tag>;
  if (customRole !== "") return <Tag>{customRole}</Tag>;
  if (role === ROLE.user) return <span>{t("users.role.user")}</span>;
  if (role === ROLE.admin) return <Tag>{t("users.role.admin")}</Tag>;
  return <Tag>{t(role === ROLE.root ? "users.role.root" : "users.role.unknown")}</Tag>;
};
