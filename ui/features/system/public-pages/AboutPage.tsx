import InfoOutlined from "@mui/icons-material/InfoOutlined";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { SiteText, siteText } from "../../../components/site/SiteText.tsx";

/** The administrator's "About" text. */
export function AboutPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(siteText("about"));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  if (data === "")
    return (
      <EmptyState
        isPage
        icon={<InfoOutlined />}
        title={t("about.empty")}
        body={t("about.emptyBody")}
        action={<SettingLink tab="other" field="About" />}
      />
    );
  return <SiteText text={data} frameTitle={t("about.frame")} />;
}
