import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader } from "../../../components/layout.tsx";
import { AlertsPanel } from "../../admin/alerts/AlertsPanel.tsx";
import { CheckInCard } from "../../wallet/CheckInCard.tsx";
import { InvitationCard } from "../../wallet/InvitationCard.tsx";
import { NotificationPanel } from "../notifications/NotificationPanel.tsx";
import { PasskeysPanel } from "../security/PasskeysPanel.tsx";
import { SessionsPanel } from "../security/SessionsPanel.tsx";
import { TotpPanel } from "../security/TotpPanel.tsx";
import { AccessTokenPanel } from "./AccessTokenPanel.tsx";
import { BindingsPanel } from "./BindingsPanel.tsx";
import { DeleteAccountPanel, ExportPanel } from "./DataPanels.tsx";
import { IdentityCard } from "./IdentityCard.tsx";
import { ModelsPanel } from "./ModelsPanel.tsx";
import { PasswordPanel } from "./PasswordPanel.tsx";
import { PricePanel, ProfilePanel } from "./ProfilePanel.tsx";
import { self } from "./self-calls.ts";

const CARD_HEIGHT = 150;

/** The user's own account, in tabs. */
export function PersonalPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab: name }: { tab?: unknown } = useSearch({ strict: false });
  const { data, error, refetch } = useQuery(self);
  const tab = tabOf(name);
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
          <AccessTokenPanel hasToken={user.access_token_set} />
        </>
      );
    case "notifications":
      return <NotificationPanel user={user} />;
    case "alerts":
      return <AlertsPanel scope="own" />;
    case "prices":
      return <PricePanel user={user} />;
  }
};

/** The tabs of the personal page, by the URL's `tab`. */
const TABS = ["account", "security", "notifications", "alerts", "prices"] as const;
type Tab = (typeof TABS)[number];

/** The tab in the URL; the first by default. */
const tabOf = (name: unknown): Tab => TABS.find((tab) => tab === name) ?? "account";
