import Groups from "@mui/icons-material/GroupsOutlined";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { displayNameError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
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
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { PageHeader, Panel } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { useAccountLimits } from "../../../state/site-status.ts";
import { OrganizationDetail } from "./OrganizationDetail.tsx";

/** Creates an organization, and acts for it. */
const CreateDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const switchAccount = useSwitchAccount();
  const limits = useAccountLimits();
  return (
    <ResourceForm
      as="dialog"
      title={t("organizations.create.title")}
      action={t("organizations.create.action")}
      isNew
      text={(name) => `organizations.create.${name}`}
      initial={{ username: "", displayName: "" }}
      check={({ username, displayName }) => ({
        username: usernameError(username, limits.username),
        displayName: displayNameError(displayName),
      })}
      fault={(fault) => t(`organizations.errors.${fault}`, limits)}
      rejectedField={() => "username"}
      save={async ({ username, displayName }) => {
        switchAccount(await createOrganization(username.trim(), displayName.trim()));
        return t("organizations.create.done");
      }}
      reload={[]}
      sections={() => [
        {
          fields: [
            { kind: "text", field: "username", hint: true, autoFocus: true },
            {
              kind: "text",
              field: "displayName",
              label: t("organizations.name"),
              optional: t("organizations.optional"),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
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
              {one.username} · {t(`accountSwitch.roles.${one.role}`)} · <Money quota={one.quota} />
            </Entry>
          ))}
        </Panel>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  );
};
