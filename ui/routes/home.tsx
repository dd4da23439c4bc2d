import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { SiteText } from "../features/content/SiteText.tsx";
import { siteText } from "../features/content/site-text.ts";
import { Landing } from "../features/home/Landing.tsx";

/** What the administrator put on the home page, else what this gateway is and how to call it. */
export function HomePage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(siteText("home_page_content"));
  if (error) return <ErrorState title={t("home.loadFailed")} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return data === "" ? <Landing /> : <SiteText text={data} frameTitle={t("home.customFrame")} />;
}
