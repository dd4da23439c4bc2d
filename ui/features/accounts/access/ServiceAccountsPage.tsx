import Robot from "@mui/icons-material/SmartToyOutlined";
import Rotate from "@mui/icons-material/SyncOutlined";
import { useQuery } from "@tanstack/react-query";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing } from "../../../components/page/list/standard-actions.tsx";
import {
  deleteServiceAccount,
  rightsText,
  rotateServiceToken,
  type ServiceAccount,
  serviceAccounts,
} from "./access-calls.ts";
import { ServiceAccountDrawer } from "./ServiceAccountDrawer.tsx";
import { TokenDialog } from "./TokenDialog.tsx";

/** Shows a token that was just issued. */
const showToken =
  ({ t, open }: ListContext<undefined>) =>
  (name: string, token: string) =>
    open((close) => <TokenDialog title={t("access.accounts.tokenTitle", { name })} token={token} onClose={close} />);

/** Whether the token has expired. */
const isExpired = ({ expires_time: expires }: ServiceAccount): boolean =>
  expires > 0 && expires <= Math.floor(Date.now() / 1000);

const form = (account: ServiceAccount | null, close: () => void, context: ListContext<undefined>) => (
  <ServiceAccountDrawer account={account} onClose={close} onCreated={showToken(context)} />
);

export const SERVICE_ACCOUNTS: ResourceList<ServiceAccount> = {
  text: (name) => `access.accounts.${name}`,
  icon: Robot,
  rows: { useAll: () => useQuery(serviceAccounts) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    { key: "name", kind: "text", isTitle: true },
    {
      key: "rights",
      head: "access.rights.title",
      fit: ({ rights }, { t }) => rightsText(rights, t),
      cell: ({ rights }, { t }) => <span title={rightsText(rights, t)}>{rightsText(rights, t)}</span>,
    },
    { key: "token", kind: "code", width: 96, of: ({ token_end }) => `…${token_end}` },
    {
      key: "expires",
      width: 132,
      isSolid: true,
      cell: (account, { t }) =>
        isExpired(account) ? (
          <StatusChip tone="bad">{t("access.accounts.expired")}</StatusChip>
        ) : account.expires_time === 0 ? (
          t("access.accounts.never")
        ) : (
          <TimeAgo seconds={account.expires_time} />
        ),
    },
    { key: "used", kind: "time", of: "last_used_time", width: 132 },
    { key: "creator", kind: "text", of: "created_by", width: 132 },
    { key: "created", kind: "time", of: "created_time", width: 132 },
  ],
  add: { name: "add", open: form },
  actions: [
    editing(form),
    {
      name: "rotate",
      icon: Rotate,
      ask: { title: "access.accounts.rotateTitle", body: "access.accounts.rotateBody", isDangerous: true },
      work: async ({ id, name }, context) => showToken(context)(name, (await rotateServiceToken(id)).token),
    },
    deleting(({ id }) => deleteServiceAccount(id), "access.accounts.deleted"),
  ],
  onRow: ["edit"],
  isDim: isExpired,
};

/** Accounts of programs that call the management API. */
export const ServiceAccountsPage = () => <ListPage list={SERVICE_ACCOUNTS} />;
