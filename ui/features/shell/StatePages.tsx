import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import LockOutlined from "@mui/icons-material/LockOutlined";
import SearchOff from "@mui/icons-material/SearchOff";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";

/** The 404 page. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<SearchOff />}
      title={t("shell.notFound.title")}
      body={t("shell.notFound.body")}
      action={
        <Button component={Link} to="/" variant="contained" color="primary">
          {t("shell.notFound.action")}
        </Button>
      }
    />
  );
}

/**
 * Shown when a page fails to load or render. A reload also fetches the pages of a newer version, so this page is never
 * a chunk of its own.
 */
export const PageError = ({ error }: { error: unknown }) => {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<ErrorOutlined />}
      title={t("components.error.title")}
      body={error instanceof Error && error.message ? error.message : t("components.error.unknown")}
      action={
        <Button variant="contained" color="primary" onClick={() => window.location.reload()}>
          {t("components.error.retry")}
        </Button>
      }
    />
  );
};

type NotPermittedProps = Readonly<{
  isForSuperAdmin?: boolean;
  /** It is about the organization that the user acts for. */
  isForMembers?: boolean;
}>;

/** Shown instead of a page that the user may not open. */
export const NotPermitted = ({ isForSuperAdmin = false, isForMembers = false }: NotPermittedProps) => {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<LockOutlined />}
      title={t(isForSuperAdmin ? "shell.notPermitted.superAdminTitle" : "shell.notPermitted.title")}
      body={t(isForMembers ? "shell.notPermitted.memberBody" : "shell.notPermitted.body")}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("shell.notPermitted.action")}
        </Button>
      }
    />
  );
};
