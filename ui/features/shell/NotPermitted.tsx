import LockOutlined from "@mui/icons-material/LockOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";

/** Instead of a page that the account may not open. */
export const NotPermitted = () => {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<LockOutlined />}
      title={t("shell.notPermitted.title")}
      body={t("shell.notPermitted.body")}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("shell.notPermitted.action")}
        </Button>
      }
    />
  );
};
