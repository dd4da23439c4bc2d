import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { isAdmin } from "../../../state/stored-user.ts";
import { unusualSpending } from "../../alerts/alert-link.ts";
import { Lasts } from "../../alerts/Lasts.tsx";
import { ACTIVE, BANNED, ROLE, type User } from "./user.ts";

/** A user on a phone: status and balance. */
export const UserCard = ({ user }: { user: User }) => (
  <Row sx={{ justifyContent: "space-between" }}>
    <Row gap={3}>
      <UserStatus user={user} />
      {(user.role !== ROLE.user || user.admin_role !== "" || user.kind === "organization") && <UserRole user={user} />}
    </Row>
    <UserBalance user={user} isStrong />
  </Row>
);

type BalanceProps = Readonly<{ user: User; isStrong?: boolean }>;

/** A user's balance, how long it lasts, and an alert about unusual spending. */
export const UserBalance = ({ user, isStrong = false }: BalanceProps) => {
  const { user: actor } = useSession();
  const per = user.kind === "organization" ? "organization" : "user";
  const alert = (daily: number) =>
    ({
      scope: "site",
      event: "spending",
      threshold: unusualSpending(daily),
      per,
      subject: user.username,
    }) as const;
  return (
    <Col sx={{ alignItems: "flex-end" }}>
      <Money quota={user.quota} strong={isStrong} />
      {isAdmin(actor) && <Lasts of="user" id={user.id} balance={user.quota} alert={alert} />}
    </Col>
  );
};

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
