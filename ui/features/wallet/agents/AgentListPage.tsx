import Add from "@mui/icons-material/AddOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Button from "@mui/material/Button";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../../src/domain/wallet/agents/agents.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";
import { PageHeader } from "../../../components/layout.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { editing } from "../../../components/page/list/standard-actions.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { hasRight } from "../../../state/stored-user.ts";
import { AgentDialog } from "./AgentDialog.tsx";
import { WITHDRAWAL_STATUSES } from "./withdrawal-columns.tsx";
import { ALL, WITHDRAWALS } from "./withdrawal-list.tsx";

const form = (agent: AgentRow | null, close: () => void) => <AgentDialog agent={agent} onClose={close} />;
const queryOf = ({ text }: FilterValues) => ({ keyword: text("search") });

/** Users who earn a share of their invitees' top-ups. */
export const AGENTS: ResourceList<AgentRow, ReturnType<typeof queryOf>> = {
  text: (name) => `agents.${name}`,
  icon: Handshake,
  rows: {
    key: [...WALLET_KEY, "agents"],
    read: (query, signal) => readData(agentApi.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
  },
  query: queryOf,
  rowId: ({ user_id: id }) => id,
  rowName: ({ username }) => username,
  unit: "agents.unit",
  columns: [
    { key: "username", kind: "text", head: "agents.requests.user", sortKey: "username", isTitle: true },
    {
      key: "status",
      kind: "status",
      head: "agents.requests.status",
      sortKey: "is_active",
      width: 120,
      of: ({ is_active: isActive }) => ({
        tone: isActive ? "ok" : "idle",
        text: isActive ? "agents.active" : "agents.paused",
        quiet: isActive,
      }),
    },
    {
      key: "rate",
      kind: "text",
      head: "agents.rate",
      sortKey: "rate",
      width: 100,
      align: "right",
      of: ({ rate }) => `${Number(rate)}%`,
    },
    { key: "invited", kind: "count", head: "agents.invited", sortKey: "invited", width: 100 },
    { key: "balance", kind: "money", head: "agents.balance", sortKey: "balance", width: 140 },
    { key: "earned", kind: "money", head: "agents.earned", sortKey: "earned", width: 140 },
    { key: "note", kind: "text", head: "agents.note" },
  ],
  search: "agents.search",
  actions: [editing(form, { label: "agents.form.change", needs: "billing:write" })],
  onRow: ["edit"],
  empty: { title: "agents.emptyTitle", body: "agents.emptyBody" },
  isDim: ({ is_active: isActive }) => !isActive,
};

/** The list of agents and their withdrawal requests. */
export const AgentListPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const { user } = useSession();
  const [isAdding, setAdding] = useState(false);
  const tab = address.text("tab") === "requests" ? "requests" : "agents";
  const status = address.text("status") || "requested";
  return (
    <>
      <PageHeader
        title={t("agents.title")}
        purpose={t("agents.purpose")}
        actions={
          hasRight(user, "billing:write") && (
            <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setAdding(true)}>
              {t("agents.form.add")}
            </Button>
          )
        }
      />
      <Tabs
        value={tab}
        onChange={(_, next: string) => {
          address.set({ tab: next, search: undefined, status: undefined, sort: undefined, order: undefined });
        }}
        aria-label={t("agents.title")}
        sx={{ mb: 3 }}
      >
        <TabItem value="agents" label={t("agents.title")} id="tab-agents" aria-controls="list" />
        <TabItem value="requests" label={t("agents.lists.withdrawals")} id="tab-requests" aria-controls="list" />
      </Tabs>
      <div role="tabpanel" id="list" aria-labelledby={`tab-${tab}`}>
        {tab === "agents" ? (
          <ListTable list={AGENTS} />
        ) : (
          <>
            <Tabs
              value={status}
              onChange={(_, next: string) => address.set({ status: next })}
              aria-label={t("agents.requests.status")}
              variant="scrollable"
              sx={{ mb: 3 }}
            >
              {[...WITHDRAWAL_STATUSES, ALL].map((name) => (
                <TabItem key={name} value={name} label={t(`agents.statuses.${name}`)} />
              ))}
            </Tabs>
            <ListTable list={WITHDRAWALS} />
          </>
        )}
      </div>
      {isAdding && form(null, () => setAdding(false))}
    </>
  );
};
