import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "../../state/session.ts";
import { isSuperAdmin } from "../../state/stored-user.ts";

/** A tab of the settings and, in it, a field or section to go to. */
type SettingLinkProps = Readonly<{ tab: "operation" | "system" | "other"; field: string }>;

/** Leads a super admin to a setting that something is missing from; nothing for others, who can't change it. */
export const SettingLink = ({ tab, field }: SettingLinkProps) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user } = useSession();
  if (!isSuperAdmin(user)) return null;
  return (
    <Button onClick={() => navigate({ to: "/setting", search: () => ({ tab, field }) })}>
      {t("components.openSettings")}
    </Button>
  );
};
