import { Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { UserRole, UserStatus } from "./UserStanding.tsx";
import { ROLE, type User } from "./user.ts";

/** Somebody on a phone: how they stand, and what they have. */
export const UserCard = ({ user }: { user: User }) => (
  <Row sx={{ justifyContent: "space-between" }}>
    <Row gap={3}>
      <UserStatus user={user} />
      {user.role !== ROLE.user && <UserRole role={user.role} />}
    </Row>
    <Money quota={user.quota} strong />
  </Row>
);
