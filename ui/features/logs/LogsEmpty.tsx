import ReceiptLong from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";

/** Nothing was called yet, or nothing fits; a request that was looked for by its id may still be in the whole log. */
export const LogsEmpty = ({ isFiltered, requestId }: { isFiltered: boolean; requestId?: string | undefined }) => {
  const { t } = useTranslation();
  if (requestId) {
    return (
      <EmptyState
        icon={<ReceiptLong />}
        title={t("logs.empty.requestTitle")}
        body={t("logs.empty.requestBody")}
        action={
          <Button component={Link} to={`/log/${encodeURIComponent(requestId)}`}>
            {t("logs.empty.requestAction")}
          </Button>
        }
      />
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={<ReceiptLong />} title={t("logs.empty.filteredTitle")} body={t("logs.empty.filteredBody")} />
    );
  }
  return (
    <EmptyState
      icon={<ReceiptLong />}
      title={t("logs.empty.title")}
      body={t("logs.empty.body")}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("logs.empty.action")}
        </Button>
      }
    />
  );
};
