import Add from "@mui/icons-material/AddOutlined";
import Check from "@mui/icons-material/CheckOutlined";
import Box from "@mui/material/Box";
import Divider from "@mui/material/Divider";
import MenuItem from "@mui/material/MenuItem";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { organizations } from "../../../api/accounts/organization-calls.ts";
import { useActing, useSwitchAccount } from "../../../api/accounts/use-organization.ts";
import type { StoredUser } from "../../../state/stored-user.ts";

/** The accounts that the user can act for, as entries of the account menu. */
export const AccountSwitcher = ({ user, onClose }: { user: StoredUser; onClose: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id } = useActing();
  const { data } = useQuery(organizations);
  const switchAccount = useSwitchAccount();
  const accounts = [
    { id: null, name: user.display_name || user.username, detail: t("accountSwitch.personal") },
    ...(data ?? []).map((one) => ({
      id: one.id,
      name: one.display_name || one.username,
      detail: t(`accountSwitch.roles.${one.role}`),
    })),
  ];
  return (
    <Box role="group" aria-label={t("accountSwitch.switch")}>
      <Box sx={{ px: 2.5, pb: 1, fontSize: 12, color: "text.tertiary" }}>{t("accountSwitch.switch")}</Box>
      {accounts.map((account) => (
        <MenuItem
          key={account.id ?? 0}
          role="menuitemradio"
          aria-checked={account.id === id}
          onClick={() => {
            onClose();
            if (account.id !== id) switchAccount(account.id);
          }}
          sx={{ gap: 2 }}
        >
          <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere", whiteSpace: "normal" }}>
            {account.name}
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{account.detail}</Box>
          </Box>
          {account.id === id && <Check sx={{ fontSize: 16 }} />}
        </MenuItem>
      ))}
      <MenuItem
        onClick={() => {
          onClose();
          void navigate({ to: "/organization", search: {} });
        }}
        sx={{ gap: 2 }}
      >
        <Add sx={{ fontSize: 16 }} />
        {t("accountSwitch.manage")}
      </MenuItem>
      <Divider sx={{ my: 1 }} />
    </Box>
  );
};
