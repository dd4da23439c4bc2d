import Add from "@mui/icons-material/AddOutlined";
import Badge from "@mui/icons-material/BadgeOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import SyncDisabled from "@mui/icons-material/SyncDisabledOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { TokenDialog } from "../access/TokenDialog.tsx";
import { ProviderIcon } from "../sign-in/ProviderIcon.tsx";
import { ProviderDrawer } from "./ProviderDrawer.tsx";
import { createScimToken, deleteProvider, type Provider, providers, revokeScimToken } from "./provider-calls.ts";

/** What the menu of an identity provider does; `onToken` shows a token that was just made. */
export function useProviderActions(onToken: (name: string, token: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(providers));
  return {
    makeToken: ({ id, name, scim }: Provider) =>
      act({
        question: scim
          ? {
              title: t("identityProviders.scim.replaceTitle", { name }),
              body: t("identityProviders.scim.replaceBody"),
              action: t("identityProviders.scim.replace"),
              isDangerous: true,
            }
          : undefined,
        work: async () => onToken(name, await createScimToken(id)),
      }),
    revokeToken: ({ id, name }: Provider) =>
      act({
        question: {
          title: t("identityProviders.scim.revokeTitle", { name }),
          body: t("identityProviders.scim.revokeBody"),
          action: t("identityProviders.scim.revoke"),
          isDangerous: true,
        },
        work: () => revokeScimToken(id),
        done: () => t("identityProviders.scim.revoked", { name }),
      }),
    remove: ({ id, name }: Provider) =>
      act({
        question: {
          title: t("identityProviders.deleteTitle", { name }),
          body: t("identityProviders.deleteBody"),
          action: t("identityProviders.delete"),
          isDangerous: true,
        },
        work: () => deleteProvider(id),
        done: () => t("identityProviders.deleted", { name }),
      }),
  };
}

/** Identity providers of companies, next to the services of the settings. */
export const IdentityProvidersPage = () => {
  const { t } = useTranslation();
  const list = useQuery(providers);
  const [opened, setOpened] = useState<{ provider: Provider | null } | null>(null);
  const [issued, setIssued] = useState<{ name: string; token: string } | null>(null);
  const { remove, makeToken, revokeToken } = useProviderActions((name, token) => setIssued({ name, token }));
  const model = useDataTable<Provider>({
    columns: [
      {
        key: "name",
        head: t("identityProviders.columns.name"),
        isTitle: true,
        cell: ({ name, icon }) => (
          <Row gap={2}>
            <ProviderIcon icon={icon} />
            {name}
          </Row>
        ),
      },
      {
        key: "type",
        head: t("identityProviders.type"),
        width: 120,
        cell: ({ type }) => t(`identityProviders.types.${type}`),
      },
      {
        key: "domains",
        head: t("identityProviders.columns.domains"),
        cell: ({ domains }) => domains.join(", ") || "–",
      },
      {
        key: "callback",
        head: t("identityProviders.columns.callback"),
        isSolid: true,
        cell: ({ id, type }) => {
          const path = type === "saml" ? `/saml/sso-${id}/metadata` : `/oauth/sso-${id}`;
          return (
            <Row gap={1}>
              <code>{path}</code>
              <CopyButton text={siteOrigin() + path} label={t("identityProviders.copyCallback")} />
            </Row>
          );
        },
      },
      {
        key: "scim",
        head: t("identityProviders.columns.scim"),
        width: 96,
        cell: ({ scim }) => t(scim ? "identityProviders.scim.on" : "identityProviders.scim.off"),
      },
      {
        key: "state",
        head: t("identityProviders.columns.state"),
        width: 140,
        isSolid: true,
        cell: ({ enabled, enforced }) => (
          <StatusChip tone={enabled ? "ok" : "idle"}>
            {t(
              !enabled
                ? "identityProviders.states.off"
                : enforced
                  ? "identityProviders.states.enforced"
                  : "identityProviders.states.on",
            )}
          </StatusChip>
        ),
      },
    ],
    rows: list.data,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
    actions: (provider) => [
      { label: t("identityProviders.edit"), icon: <Edit />, onSelect: () => setOpened({ provider }) },
      {
        label: t(provider.scim ? "identityProviders.scim.replace" : "identityProviders.scim.create"),
        icon: <Sync />,
        onSelect: () => void makeToken(provider),
      },
      ...(provider.scim
        ? [
            {
              label: t("identityProviders.scim.revoke"),
              icon: <SyncDisabled />,
              onSelect: () => void revokeToken(provider),
              isDangerous: true,
            },
          ]
        : []),
      {
        label: t("identityProviders.delete"),
        icon: <Delete />,
        onSelect: () => void remove(provider),
        isDangerous: true,
      },
    ],
  });
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ provider: null })}>
      {t("identityProviders.add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("identityProviders.title")} purpose={t("identityProviders.purpose")} actions={add} />
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(provider) => setOpened({ provider })}
        isDim={({ enabled }) => !enabled}
        empty={
          <EmptyState
            icon={<Badge />}
            title={t("identityProviders.empty.title")}
            body={t("identityProviders.empty.body")}
            action={add}
          />
        }
      />
      {opened && <ProviderDrawer provider={opened.provider} onClose={() => setOpened(null)} />}
      {issued && (
        <TokenDialog
          title={t("identityProviders.scim.tokenTitle", { name: issued.name })}
          token={issued.token}
          onClose={() => setIssued(null)}
        />
      )}
    </>
  );
};
