import { useTranslation } from "react-i18next";
import { PageHeader } from "../../components/layout.tsx";
import { AlertsPanel } from "./AlertsPanel.tsx";

/** The site's alerts, for administrators. */
export const AlertsPage = () => {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t("alerts.title")} purpose={t("alerts.purpose")} />
      <AlertsPanel scope="site" />
    </>
  );
};
