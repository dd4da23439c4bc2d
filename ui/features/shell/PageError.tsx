import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";

/** Instead of a page that broke; loading anew also fetches the pages of a newer version, so this one is never loaded apart. */
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
