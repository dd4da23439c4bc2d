import Badge from "@mui/icons-material/BadgeOutlined";
import SyncDisabled from "@mui/icons-material/SyncDisabledOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { Row } from "../../../components/layout.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing } from "../../../components/page/list/standard-actions.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { TokenDialog } from "../access/TokenDialog.tsx";
import { ProviderIcon } from "../sign-in/ProviderIcon.tsx";
import { ProviderDrawer } from "./ProviderDrawer.tsx";
import { createScimToken, deleteProvider, type Provider, providers, revokeScimToken } from "./provider-calls.ts";

/** Makes a SCIM token and shows it. */
async function makeToken({ id, name }: Provider, { t, open }: ListContext<undefined>) {
  const token = await createScimToken(id);
  open((close) => (
    <TokenDialog title={t("identityProviders.scim.tokenTitle", { name })} token={token} onClose={close} />
  ));
}

const form = (provider: Provider | null, close: () => void) => <ProviderDrawer provider={provider} onClose={close} />;

export const IDENTITY_PROVIDERS: ResourceList<Provider> = {
  text: (name) => `identityProviders.${name}`,
  icon: Badge,
  rows: { useAll: () => useQuery(providers) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    {
      key: "name",
      isTitle: true,
      cell: ({ name, icon }) => (
        <Row gap={2}>
          <ProviderIcon icon={icon} />
          {name}
        </Row>
      ),
    },
    { key: "type", kind: "choice", texts: "identityProviders.types", head: "identityProviders.type", width: 120 },
    { key: "domains", kind: "text", of: ({ domains }) => domains.join(", ") },
    {
      key: "callback",
      isSolid: true,
      cell: ({ id, type }, { t }) => {
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
      kind: "choice",
      texts: "identityProviders.scim",
      width: 96,
      of: ({ scim }) => (scim ? "on" : "off"),
    },
    {
      key: "state",
      kind: "status",
      width: 140,
      of: ({ enabled, enforced }) => ({
        tone: enabled ? "ok" : "idle",
        text: `identityProviders.states.${!enabled ? "off" : enforced ? "enforced" : "on"}`,
      }),
    },
  ],
  add: { name: "add", open: form },
  actions: [
    editing(form),
    { name: "scim.create", icon: Sync, isShown: ({ scim }) => !scim, work: makeToken },
    {
      name: "scim.replace",
      icon: Sync,
      isShown: ({ scim }) => Boolean(scim),
      ask: {
        title: "identityProviders.scim.replaceTitle",
        body: "identityProviders.scim.replaceBody",
        isDangerous: true,
      },
      work: makeToken,
    },
    {
      name: "scim.revoke",
      icon: SyncDisabled,
      isShown: ({ scim }) => Boolean(scim),
      isDangerous: true,
      ask: true,
      work: ({ id }) => revokeScimToken(id),
      done: "identityProviders.scim.revoked",
    },
    deleting(({ id }) => deleteProvider(id), "identityProviders.deleted"),
  ],
  onRow: ["edit"],
  isDim: ({ enabled }) => !enabled,
};

/** Identity providers of companies, next to the services of the settings. */
export const IdentityProvidersPage = () => <ListPage list={IDENTITY_PROVIDERS} />;
