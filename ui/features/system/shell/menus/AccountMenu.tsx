import Avatar from "@mui/material/Avatar";
import Box from "@mui/material/Box";
import Divider from "@mui/material/Divider";
import IconButton from "@mui/material/IconButton";
import Link from "@mui/material/Link";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccount, useActing, useHasOrganizations } from "../../../../api/accounts/use-organization.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { Tag } from "../../../../components/display/Tag.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { useOnceOpened } from "../../../../components/once-opened.ts";
import { useSession } from "../../../../state/session.ts";
import type { StoredUser } from "../../../../state/stored-user.ts";
import { AccountSwitcher } from "../../../accounts/organizations/AccountSwitcher.tsx";
import { warnedBalance } from "../../../alerts/alert-link.ts";
import { Lasts } from "../../../alerts/Lasts.tsx";

/** The signed-in user, the accounts that they can act for, and the sign-out button. */
export const AccountMenu = ({ user }: { user: StoredUser }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const leave = useLeave();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  const hasOrganizations = useHasOrganizations();
  const { organization } = useActing();
  const name = user.display_name || user.username;
  const shown = organization ? organization.display_name || organization.username : name;
  return (
    <>
      {organization && (
        <Box component="span" sx={{ display: { xs: "none", sm: "inline-flex" } }}>
          <Tag tone="info">{shown}</Tag>
        </Box>
      )}
      <IconButton
        aria-label={t("shell.account")}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Avatar
          sx={{
            width: 28,
            height: 28,
            fontSize: 13,
            fontWeight: 600,
            bgcolor: "tone.idle.tint",
            color: "text.primary",
          }}
        >
          {[...shown][0]?.toUpperCase()}
        </Avatar>
      </IconButton>
      {wasOpened && (
        <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
          <Box sx={{ px: 2.5, py: 1.5, minWidth: 200, maxWidth: 280, overflowWrap: "anywhere" }}>
            <Box sx={{ fontWeight: 600 }}>{name}</Box>
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{user.username}</Box>
            <Balance onLeave={() => setAnchor(null)} />
          </Box>
          <Divider sx={{ my: 1 }} />
          {hasOrganizations && <AccountSwitcher user={user} onClose={() => setAnchor(null)} />}
          <MenuItem
            onClick={() => {
              setAnchor(null);
              void navigate({ to: "/personal", search: {} });
            }}
          >
            {t("shell.personalSettings")}
          </MenuItem>
          <MenuItem
            onClick={() => {
              setAnchor(null);
              void leave();
            }}
          >
            {t("shell.signOut")}
          </MenuItem>
        </Menu>
      )}
    </>
  );
};

/** The balance of the account that the user acts for, and how long it lasts. */
const Balance = ({ onLeave }: { onLeave: () => void }) => {
  const { t } = useTranslation();
  const { id, may } = useActing();
  const { data } = useAccount();
  if (!data) return null;
  const scope = id === null ? "own" : "organization";
  const alert = (daily: number) => ({ scope, event: "balance_low", threshold: warnedBalance(daily) }) as const;
  return (
    <Box onClick={onLeave} sx={{ display: "flex", alignItems: "center", gap: 2, mt: 1, fontSize: 13 }}>
      <Link component={RouterLink} to="/topup" aria-label={t("shell.balance")} color="inherit" underline="hover">
        <Money quota={data.quota} strong />
      </Link>
      {may("usage.read") && (
        <Lasts of="account" id={id ?? 0} balance={data.quota} alert={may("alerts.manage") ? alert : null} />
      )}
    </Box>
  );
};

/** Signs out, clears the user's cached data, and opens the sign-in page. */
export function useLeave(): () => Promise<void> {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { signOut } = useSession();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return notifyError(error);
    }
    queryClient.removeQueries();
    notifyDone(t("shell.signedOut"));
    await navigate({ to: "/login", search: {} });
  };
}
