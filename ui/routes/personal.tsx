import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col } from "../components/layout.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { AccessTokenPanel } from "../features/personal/AccessTokenPanel.tsx";
import { IdentityCard } from "../features/personal/IdentityCard.tsx";
import { PasswordPanel } from "../features/personal/PasswordPanel.tsx";
import { self } from "../features/personal/self-calls.ts";

const CARD_HEIGHT = 150;

/** One's own account. */
export function PersonalPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(self);
  return (
    <>
      <PageHeader title={t("personal.title")} purpose={t("personal.purpose")} />
      <Col gap={4} sx={{ maxWidth: 880 }}>
        {data ? (
          <IdentityCard user={data} />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rounded" height={CARD_HEIGHT} />
        )}
        <PasswordPanel />
        <AccessTokenPanel />
      </Col>
    </>
  );
}
