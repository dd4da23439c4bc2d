import Badge from "@mui/icons-material/BadgeOutlined";
import SyncDisabled from "@mui/icons-material/SyncDisabledOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { Row } from "../../../components/layout.tsx";
import { ResourcePage } from "../../../components/page/ResourcePage.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { TokenDialog } from "../access/TokenDialog.tsx";
import { ProviderIcon } from "../sign-in/ProviderIcon.tsx";
import { ProviderDrawer } from "./ProviderDrawer.tsx";
import { createScimToken, deleteProvider, type Provider, providers, revokeScimToken } from "./provider-calls.ts";

/** The SCIM token of an identity provider; `onToken` shows one that was just made. */
function useTokenActions(onToken: (name: string, token: string) => void) {
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
  };
}

/** Identity providers of companies, next to the services of the settings. */
export const IdentityProvidersPage = () => {
  const { t } = useTranslation();
  const [issued, setIssued] = useState<{ name: string; token: string } | null>(null);
  const { makeToken, revokeToken } = useTokenActions((name, token) => setIssued({ name, token }));
  const columns: readonly Column<Provider>[] = [
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
  ];
  return (
    <>
      <ResourcePage
        text={(name) => `identityProviders.${name}`}
        list={useQuery(providers)}
        columns={columns}
        icon={<Badge />}
        actions={(provider, edit) => [
          edit,
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
        ]}
        remove={deleteProvider}
        isDim={({ enabled }) => !enabled}
        drawer={(provider, onClose) => <ProviderDrawer provider={provider} onClose={onClose} />}
      />
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
