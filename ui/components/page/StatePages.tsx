import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import LockOutlined from "@mui/icons-material/LockOutlined";
import SearchOff from "@mui/icons-material/SearchOff";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../feedback/EmptyState.tsx";

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
  /** Who may open the page; members: those of the organization that the user acts for, with the right. */
  isFor?: "admin" | "superAdmin" | "member";
}>;

const REASONS = {
  admin: { title: "shell.notPermitted.title", body: "shell.notPermitted.body" },
  superAdmin: { title: "shell.notPermitted.superAdminTitle", body: "shell.notPermitted.body" },
  member: { title: "shell.notPermitted.memberTitle", body: "shell.notPermitted.memberBody" },
} as const;

/** Shown instead of a page that the user may not open. */
export const NotPermitted = ({ isFor = "admin" }: NotPermittedProps) => {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<LockOutlined />}
      title={t(REASONS[isFor].title)}
      body={t(REASONS[isFor].body)}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("shell.notPermitted.action")}
        </Button>
      }
    />
  );
};
