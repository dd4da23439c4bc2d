import Avatar from "@mui/material/Avatar";
import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { Count, Money } from "../../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { Row } from "../../../components/layout.tsx";

const ROLES: Readonly<Record<number, { key: "1" | "10" | "100"; tone: ToneName }>> = {
  1: { key: "1", tone: "idle" },
  10: { key: "10", tone: "info" },
  100: { key: "100", tone: "warn" },
};

/** The user's identity, balance and usage. */
export const IdentityCard = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const role = ROLES[user.role];
  const shownName = user.display_name || user.username;
  return (
    <Box
      component="section"
      aria-label={t("profile.account")}
      sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1 }}
    >
      <Row gap={4} sx={{ p: 4 }}>
        <Avatar
          aria-hidden
          sx={{
            width: 48,
            height: 48,
            fontSize: 18,
            fontWeight: 650,
            bgcolor: "tone.idle.tint",
            color: "text.primary",
          }}
        >
          {[...shownName][0]?.toUpperCase()}
        </Avatar>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Row gap={2} wrap>
            <Box
              component="h2"
              sx={{ m: 0, fontSize: 16, lineHeight: "24px", fontWeight: 620, overflowWrap: "anywhere" }}
            >
              {shownName}
            </Box>
            <StatusChip tone={role?.tone ?? "bad"} dot={false}>
              {t(`profile.roles.${role?.key ?? "other"}`)}
            </StatusChip>
          </Row>
          <Row gap={3} wrap sx={{ fontSize: 13, color: "text.secondary", rowGap: 0 }}>
            <span>
              {t("profile.username")} {user.username}
            </span>
            <span>
              {t("profile.id")} {user.id}
            </span>
            <span>
              {t("profile.group")} {user.group}
            </span>
          </Row>
        </Box>
      </Row>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: "grid",
          gridTemplateColumns: "repeat(3, minmax(0, 1fr))",
          borderTop: "1px solid",
          borderColor: "line.main",
          bgcolor: "surface.sunken",
          borderRadius: "0 0 8px 8px",
        }}
      >
        <Figure name={t("profile.balance")}>
          <Money quota={user.quota} />
        </Figure>
        <Figure name={t("profile.used")}>
          <Money quota={user.used_quota} />
        </Figure>
        <Figure name={t("profile.requests")}>
          <Count value={user.request_count} />
        </Figure>
      </Box>
    </Box>
  );
};

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box sx={{ px: 4, py: 3, minWidth: 0, "& + &": { borderLeft: "1px solid", borderColor: "line.main" } }}>
    <Box component="dt" sx={{ fontSize: 12, lineHeight: "16px", color: "text.secondary" }}>
      {name}
    </Box>
    <Box component="dd" sx={{ m: 0, mt: 0.5, fontSize: 16, lineHeight: "24px", fontWeight: 620 }}>
      {children}
    </Box>
  </Box>
);
