import NotificationAdd from "@mui/icons-material/NotificationAddOutlined";
import ButtonBase from "@mui/material/ButtonBase";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useActing } from "../../api/accounts/use-organization.ts";
import { alertAddress } from "./alert-link.ts";

/** The way to an alert on what the site or an account spends; nothing for members who may have none. */
export const SpendAlert = ({ ofAll }: Readonly<{ ofAll: boolean }>) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id, may } = useActing();
  if (!ofAll && !may("alerts.manage")) return null;
  const scope = ofAll ? "site" : id === null ? "own" : "organization";
  return (
    <ButtonBase
      onClick={() => void navigate(alertAddress({ scope, event: "spending" }))}
      sx={{ gap: 0.75, fontSize: 12, lineHeight: "16px", "&:hover": { color: "text.primary" } }}
    >
      {t("components.alertOnSpending")}
      <NotificationAdd sx={{ fontSize: 13 }} />
    </ButtonBase>
  );
};
