import Groups from "@mui/icons-material/GroupsOutlined";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS, displayNameError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
import { Money } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Field, PageHeader, Panel } from "../../../components/layout.tsx";
import { AlertsPanel } from "../../admin/alerts/AlertsPanel.tsx";
import { Entry } from "../security/Entry.tsx";
import { DangerPanel } from "./DangerPanel.tsx";
import { InvitationsPanel } from "./InvitationsPanel.tsx";
import { MembersPanel } from "./MembersPanel.tsx";
import { createOrganization, organizations } from "./organization-calls.ts";
import { ProfilePanel, WalletPanel } from "./ProfilePanel.tsx";
import { PoliciesPanel } from "./policies/PoliciesPanel.tsx";
import { BudgetsPanel } from "./spending/BudgetsPanel.tsx";
import { ProjectsPanel } from "./spending/ProjectsPanel.tsx";
import { useActing, useHasOrganizations, useSwitchAccount } from "./use-organization.ts";

/** Creates an organization, and acts for it. */
const CreateDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const switchAccount = useSwitchAccount();
  const { body, form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { username: "", displayName: "" },
    check: ({ username, displayName }) => ({
      username: usernameError(username),
      displayName: displayNameError(displayName),
    }),
    rejection: "inline",
    send: async ({ username, displayName }) => {
      const created = await createOrganization(username.trim(), displayName.trim());
      notifyDone(t("organizations.create.done"));
      onClose();
      switchAccount(created);
    },
  });
  const errorOf = (field: "username" | "displayName") =>
    faults[field] && t(`organizations.errors.${faults[field]}`, ACCOUNT_LIMITS);
  return (
    <FormDialog
      title={t("organizations.create.title")}
      action={t("organizations.create.action")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <div ref={body}>
          <Field
            label={t("organizations.create.username")}
            htmlFor={`${id}username`}
            hint={t("organizations.create.usernameHint")}
            error={errorOf("username") ?? problem}
          >
            <OutlinedInput
              id={`${id}username`}
              fullWidth
              autoFocus
              autoComplete="off"
              value={form.username}
              error={faults.username !== undefined}
              onChange={(event) => change({ username: event.target.value })}
            />
          </Field>
        </div>
        <Field
          label={t("organizations.name")}
          htmlFor={`${id}name`}
          optional={t("organizations.optional")}
          error={errorOf("displayName")}
        >
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            autoComplete="off"
            value={form.displayName}
            error={faults.displayName !== undefined}
            onChange={(event) => change({ displayName: event.target.value })}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};

const SKELETON_HEIGHT = 150;

/** The organization that the user acts for; for themselves, the list of those they belong to. */
export const OrganizationPage = () => {
  const { t } = useTranslation();
  const { id } = useActing();
  const isOn = useHasOrganizations();
  if (!isOn)
    return (
      <EmptyState
        isPage
        icon={<Groups />}
        title={t("organizations.off.title")}
        body={t("organizations.off.body")}
        action={<SettingLink tab="system" field="Organizations" />}
      />
    );
  return id === null ? <OrganizationList /> : <OrganizationDetail />;
};

const OrganizationList = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(organizations);
  const switchAccount = useSwitchAccount();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button variant="contained" color="primary" onClick={() => setCreating(true)}>
      {t("organizations.create.action")}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t("organizations.title")}
        purpose={t("organizations.purpose")}
        actions={data && data.length > 0 && create}
      />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={SKELETON_HEIGHT} />}
      {data?.length === 0 && (
        <EmptyState
          icon={<Groups />}
          title={t("organizations.empty.title")}
          body={t("organizations.empty.body")}
          action={create}
        />
      )}
      {data && data.length > 0 && (
        <Panel sx={{ maxWidth: 880 }}>
          {data.map((one) => (
            <Entry
              key={one.id}
              title={one.display_name || one.username}
              action={
                <Button size="small" onClick={() => switchAccount(one.id)}>
                  {t("organizations.open")}
                </Button>
              }
            >
              {one.username} · {t(`organizations.roles.${one.role}`)} · <Money quota={one.quota} />
            </Entry>
          ))}
        </Panel>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  );
};

const OrganizationDetail = () => {
  const { t } = useTranslation();
  const { organization, may } = useActing();
  const { data, error, refetch } = useQuery(organizations);
  const switchAccount = useSwitchAccount();
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
  return (
    <>
      <PageHeader
        title={organization.display_name || organization.username}
        purpose={t("organizations.detail.purpose", {
          name: organization.username,
          role: t(`organizations.roles.${organization.role}`),
        })}
        actions={<Button onClick={() => switchAccount(null)}>{t("organizations.back")}</Button>}
      />
      <Col gap={4} sx={{ maxWidth: 880 }}>
        <WalletPanel organization={organization} />
        <MembersPanel organization={organization} />
        {may("members.manage") && <InvitationsPanel organization={organization} />}
        <BudgetsPanel organization={organization} />
        <ProjectsPanel organization={organization} />
        <PoliciesPanel organization={organization} />
        {may("alerts.manage") && <AlertsPanel scope="organization" />}
        {may("organization.rename") && <ProfilePanel organization={organization} />}
        <DangerPanel organization={organization} />
      </Col>
    </>
  );
};
