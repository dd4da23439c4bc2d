import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { self } from "../../../api/accounts/self-calls.ts";
import { usableModels } from "../../../api/api-keys/api-key.ts";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import { AlertsPanel } from "../../alerts/AlertsPanel.tsx";
import { NotificationPanel } from "../../notifications/NotificationPanel.tsx";
import { CheckInCard } from "../../wallet/CheckInCard.tsx";
import { InvitationCard } from "../../wallet/InvitationCard.tsx";
import { AccessTokensPanel } from "../security/AccessTokensPanel.tsx";
import { PasskeysPanel } from "../security/PasskeysPanel.tsx";
import { SessionsPanel } from "../security/SessionsPanel.tsx";
import { TotpPanel } from "../security/TotpPanel.tsx";
import { BindingsPanel } from "./BindingsPanel.tsx";
import { DeleteAccountPanel, ExportPanel } from "./DataPanels.tsx";
import { IdentityCard } from "./IdentityCard.tsx";
import { PasswordPanel } from "./PasswordPanel.tsx";
import { PricePanel, ProfilePanel } from "./ProfilePanel.tsx";

/** Number of models shown before expansion. */
const FEW = 10;

/** The models that the user may call; a click copies the name. */
export const ModelsPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(usableModels);
  return (
    <Panel title={t("profile.models.title")} hint={data && t("profile.models.count", { count: data.length })}>
      {data ? (
        <Names models={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={24} />
      )}
    </Panel>
  );
};

const isExpandedAtom = storedAtom("modelsExpanded", SWITCH_FORMAT);

const Names = ({ models }: { models: readonly string[] }) => {
  const { t } = useTranslation();
  const [isExpanded, setExpanded] = useAtom(isExpandedAtom);
  const [manual, setManual] = useState<string | null>(null);
  if (models.length === 0) {
    return <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("profile.models.none")}</Box>;
  }
  const copy = async (name: string) => {
    if (await copyText(name)) notifyDone(t("pricing.copied", { count: 1 }));
    else setManual(name);
  };
  return (
    <>
      <Row wrap gap={1.5} sx={{ rowGap: 1.5 }}>
        {(isExpanded ? models : models.slice(0, FEW)).map((name) => (
          <ButtonBase
            key={name}
            onClick={() => void copy(name)}
            title={t("pricing.copyOne", { name })}
            sx={{ maxWidth: "100%", borderRadius: "5px" }}
          >
            <Tag mono>{name}</Tag>
          </ButtonBase>
        ))}
      </Row>
      {models.length > FEW && (
        <Button size="small" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)} sx={{ mt: 3 }}>
          {isExpanded ? t("profile.models.fewer") : t("profile.models.more", { count: models.length - FEW })}
        </Button>
      )}
      {manual !== null && <ManualCopyDialog text={manual} onClose={() => setManual(null)} />}
    </>
  );
};

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
      <PageHeader title={t("profile.title")} purpose={t("profile.purpose")} />
      <Col gap={4} sx={{ maxWidth: 880 }}>
        <Tabs
          value={tab}
          onChange={(_, next: Tab) => void navigate({ to: "/personal", search: { tab: next }, replace: true })}
          aria-label={t("profile.tabs.label")}
          variant="scrollable"
          allowScrollButtonsMobile
        >
          {TABS.map((name) => (
            <TabItem key={name} value={name} label={t(`profile.tabs.${name}`)} id={`tab-${name}`} aria-controls="tab" />
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
          <AccessTokensPanel />
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
