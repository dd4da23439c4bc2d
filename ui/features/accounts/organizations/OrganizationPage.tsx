import Groups from "@mui/icons-material/GroupsOutlined";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS, displayNameError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
import { createOrganization, organizations } from "../../../api/accounts/organization-calls.ts";
import {
  useActing,
  useHasOrganizations,
  useLinkedAccount,
  useSwitchAccount,
} from "../../../api/accounts/use-organization.ts";
import { Money } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Col, Field, PageHeader, Panel } from "../../../components/layout.tsx";
import { Entry } from "../security/Entry.tsx";
import { OrganizationDetail } from "./OrganizationDetail.tsx";

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
  useLinkedAccount();
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
