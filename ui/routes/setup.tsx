import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { SetupPanel } from "../features/setup/SetupPanel.tsx";
import { setupStatus } from "../features/setup/setup-calls.ts";

const CARD_WIDTH = 560;
const FORM_HEIGHT = 380;

/** First start: the administrator's account and how the gateway is used. */
export function SetupPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(setupStatus);
  return (
    <EntryCard title={t("setup.title")} purpose={t("setup.purpose")} maxWidth={CARD_WIDTH}>
      {data ? (
        <SetupPanel hasRoot={data.root_init} isEmbedded={data.database_type === "embedded"} />
      ) : error ? (
        <ErrorState title={t("setup.errors.load")} error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={FORM_HEIGHT} />
      )}
    </EntryCard>
  );
}
