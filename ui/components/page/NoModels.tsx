import Hub from "@mui/icons-material/HubOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "../../state/session.ts";
import { isAdmin, isSuperAdmin } from "../../state/stored-user.ts";
import { EmptyState } from "../feedback/EmptyState.tsx";

/** Shown while the user may call no model: what is missing, and who can add it. */
export const NoModels = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <EmptyState
      icon={<Hub />}
      title={t("apiKeys.noModels.title")}
      body={t(isAdmin(user) ? "apiKeys.noModels.admin" : "apiKeys.noModels.user")}
      action={<NoModelsAction isPrimary />}
    />
  );
};

/** Leads an administrator to where a channel is added; nothing for others. */
export const NoModelsAction = ({ isPrimary = false }: { isPrimary?: boolean }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  if (!isAdmin(user)) return null;
  return (
    <Button
      component={Link}
      to={isSuperAdmin(user) ? "/start" : "/channel/add"}
      {...(isPrimary ? { variant: "contained" as const, color: "primary" as const } : { size: "small" as const })}
    >
      {t("apiKeys.noModels.add")}
    </Button>
  );
};
