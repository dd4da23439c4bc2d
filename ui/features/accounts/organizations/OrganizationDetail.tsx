import Groups from "@mui/icons-material/GroupsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { OrganizationRight } from "../../../../src/domain/accounts/organizations/rights.ts";
import { type Organization, organizations } from "../../../api/accounts/organization-calls.ts";
import { useActing, useSwitchAccount } from "../../../api/accounts/use-organization.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader } from "../../../components/layout.tsx";
import { SectionNav } from "../../../components/page/SectionNav.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { AlertsPanel } from "../../alerts/AlertsPanel.tsx";
import { OrganizationAudit } from "../../logs/audit/OrganizationAudit.tsx";
import { DangerPanel } from "./DangerPanel.tsx";
import { InvitationsPanel } from "./members/InvitationsPanel.tsx";
import { MembersPanel } from "./members/MembersPanel.tsx";
import { ProfilePanel, WalletPanel } from "./ProfilePanel.tsx";
import { PoliciesPanel } from "./policies/PoliciesPanel.tsx";
import { BudgetsPanel, BudgetWarnings } from "./spending/BudgetsPanel.tsx";
import { ProjectsPanel } from "./spending/ProjectsPanel.tsx";

const SECTIONS = ["overview", "members", "budgets", "projects", "policies", "alerts", "audit", "settings"] as const;
type SectionId = (typeof SECTIONS)[number];

/** What a member must be allowed to do to see a section; the others are for every member. */
const NEEDED: Readonly<Partial<Record<SectionId, OrganizationRight>>> = {
  alerts: "alerts.manage",
  audit: "audit.read",
};

const SKELETON_HEIGHT = 150;

/** The organization that the user acts for, one section at a time; `section` in the address names it. */
export const OrganizationDetail = () => {
  const { t } = useTranslation();
  const { organization, may } = useActing();
  const { data, error, refetch } = useQuery(organizations);
  const switchAccount = useSwitchAccount();
  const navigate = useNavigate();
  const address = useAddress();
  if (!organization) {
    if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
    if (!data) return <Skeleton variant="rounded" height={SKELETON_HEIGHT} />;
    return (
      <EmptyState
        isPage
        icon={<Groups />}
        title={t("organizations.lost.title")}
        body={t("organizations.lost.body")}
        action={<Button onClick={() => switchAccount(null)}>{t("organizations.back")}</Button>}
      />
    );
  }
  const sections = SECTIONS.filter((id) => NEEDED[id] === undefined || may(NEEDED[id]));
  const current = sections.find((id) => id === address.text("section")) ?? "overview";
  // What else the address has, such as the page of a list, is of the section before.
  const open = (section: SectionId) => void navigate({ to: "/organization", search: { section }, replace: true });
  return (
    <>
      <PageHeader
        title={organization.display_name || organization.username}
        purpose={t("organizations.detail.purpose", {
          name: organization.username,
          role: t(`accountSwitch.roles.${organization.role}`),
        })}
        actions={<Button onClick={() => switchAccount(null)}>{t("organizations.back")}</Button>}
      />
      <Box sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: { xs: 4, md: 8 } }}>
        <SectionNav
          label={t("organizations.sections.label")}
          sections={sections.map((id) => ({ id, title: t(`organizations.sections.${id}`) }))}
          current={current}
          onSelect={open}
        />
        <Col gap={4} sx={{ flex: 1, maxWidth: current === "alerts" || current === "audit" ? 1040 : 880 }}>
          {contentOf(current, organization, may, open)}
        </Col>
      </Box>
    </>
  );
};

/** The panels of a section. */
function contentOf(
  section: SectionId,
  organization: Organization,
  may: (right: OrganizationRight) => boolean,
  open: (section: SectionId) => void,
): ReactNode {
  switch (section) {
    case "overview":
      return (
        <>
          <WalletPanel organization={organization} />
          <BudgetWarnings organization={organization} onOpenAll={() => open("budgets")} />
        </>
      );
    case "members":
      return (
        <>
          {may("members.manage") && <InvitationsPanel organization={organization} />}
          <MembersPanel organization={organization} />
        </>
      );
    case "budgets":
      return <BudgetsPanel organization={organization} />;
    case "projects":
      return <ProjectsPanel organization={organization} />;
    case "policies":
      return <PoliciesPanel organization={organization} />;
    case "alerts":
      return <AlertsPanel scope="organization" />;
    case "audit":
      return <OrganizationAudit />;
    case "settings":
      return (
        <>
          {may("organization.rename") && <ProfilePanel organization={organization} />}
          <DangerPanel organization={organization} />
        </>
      );
  }
}
