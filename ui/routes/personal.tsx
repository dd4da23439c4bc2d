import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../src/domain/accounts/users/user-view.ts";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col } from "../components/layout.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { NotificationPanel } from "../features/notifications/NotificationPanel.tsx";
import { AccessTokenPanel } from "../features/personal/AccessTokenPanel.tsx";
import { BindingsPanel } from "../features/personal/BindingsPanel.tsx";
import { DeleteAccountPanel } from "../features/personal/DeleteAccountPanel.tsx";
import { ExportPanel } from "../features/personal/ExportPanel.tsx";
import { IdentityCard } from "../features/personal/IdentityCard.tsx";
import { ModelsPanel } from "../features/personal/ModelsPanel.tsx";
import { PasswordPanel } from "../features/personal/PasswordPanel.tsx";
import { PricePanel } from "../features/personal/PricePanel.tsx";
import { ProfilePanel } from "../features/personal/ProfilePanel.tsx";
import { self } from "../features/personal/self-calls.ts";
import { TABS, type Tab, tabOf } from "../features/personal/tabs.ts";
import { CheckInCard } from "../features/rewards/CheckInCard.tsx";
import { InvitationCard } from "../features/rewards/InvitationCard.tsx";
import { PasskeysPanel } from "../features/security/PasskeysPanel.tsx";
import { SessionsPanel } from "../features/security/SessionsPanel.tsx";
import { TotpPanel } from "../features/security/TotpPanel.tsx";

const CARD_HEIGHT = 150;

/** One's own account, in parts. */
export function PersonalPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab: given }: { tab?: unknown } = useSearch({ strict: false });
  const { data, error, refetch } = useQuery(self);
  const tab = tabOf(given);
  return (
    <>
      <PageHeader title={t("personal.title")} purpose={t("personal.purpose")} />
      <Col gap={4} sx={{ maxWidth: 880 }}>
        <Tabs
          value={tab}
          onChange={(_, next: Tab) => void navigate({ to: "/personal", search: { tab: next }, replace: true })}
          aria-label={t("personal.tabs.label")}
          variant="scrollable"
          allowScrollButtonsMobile
        >
          {TABS.map((name) => (
            <TabItem
              key={name}
              value={name}
              label={t(`personal.tabs.${name}`)}
              id={`tab-${name}`}
              aria-controls="tab"
            />
          ))}
        </Tabs>
        <Col gap={4} sx={{ minWidth: 0 }}>
          {data ? (
            <div role="tabpanel" id="tab" aria-labelledby={`tab-${tab}`}>
              <Col gap={4}>
                <Part tab={tab} user={data} />
              </Col>
            </div>
          ) : error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton variant="rounded" height={CARD_HEIGHT} />
          )}
        </Col>
      </Col>
    </>
  );
}

const Part = ({ tab, user }: { tab: Tab; user: UserView }) => {
  switch (tab) {
    case "account":
      return (
        <>
          <IdentityCard user={user} />
          <CheckInCard />
          <InvitationCard />
          <ModelsPanel />
          <ProfilePanel user={user} />
          <BindingsPanel user={user} />
          <ExportPanel />
          <DeleteAccountPanel user={user} />
        </>
      );
    case "security":
      return (
        <>
          <PasswordPanel />
          <TotpPanel />
          <PasskeysPanel />
          <SessionsPanel />
          <AccessTokenPanel />
        </>
      );
    case "notifications":
      return <NotificationPanel user={user} />;
    case "prices":
      return <PricePanel user={user} />;
  }
};
