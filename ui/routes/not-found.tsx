import SearchOff from "@mui/icons-material/SearchOff";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";

/** An address without a page. */
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
