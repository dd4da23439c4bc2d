import Add from "@mui/icons-material/AddOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Button from "@mui/material/Button";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../../src/domain/wallet/agents/agents.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { Count, Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { AgentDialog } from "./AgentDialog.tsx";
import { RequestTable } from "./RequestTable.tsx";
import { WITHDRAWAL_STATUSES } from "./withdrawal-columns.tsx";

const ALL = "all";

/** The list of agents and their withdrawal requests. */
export const AgentListPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const [open, setOpen] = useState<{ agent: AgentRow | null } | null>(null);
  const tab = address.text("tab") === "requests" ? "requests" : "agents";
  const status = address.text("status") || "requested";
  return (
    <>
      <PageHeader
        title={t("agents.title")}
        purpose={t("agents.purpose")}
        actions={
          <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpen({ agent: null })}>
            {t("agents.form.add")}
          </Button>
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
          <>
            <FilterBar
              search={{ value: address.text("search"), placeholder: t("agents.search") }}
              filters={[]}
              onChange={(key, value) => address.set({ [key]: value })}
              onClear={address.clear}
            />
            <AgentTable keyword={address.text("search")} onEdit={(agent) => setOpen({ agent })} />
          </>
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
            <RequestTable status={status === ALL ? "" : status} />
          </>
        )}
      </div>
      {open && <AgentDialog agent={open.agent} onClose={() => setOpen(null)} />}
    </>
  );
};

/** All agents whose name contains `keyword`. */
const AgentTable = ({ keyword, onEdit }: { keyword: string; onEdit: (agent: AgentRow) => void }) => {
  const { t } = useTranslation();
  const columns: Column<AgentRow>[] = [
    {
      key: "username",
      head: t("agents.requests.user"),
      sortKey: "username",
      isTitle: true,
      cell: (agent) => agent.username,
    },
    {
      key: "status",
      head: t("agents.requests.status"),
      sortKey: "is_active",
      width: 120,
      isSolid: true,
      cell: (agent) => (
        <StatusChip tone={agent.is_active ? "ok" : "idle"} quiet={agent.is_active}>
          {agent.is_active ? t("agents.active") : t("agents.paused")}
        </StatusChip>
      ),
    },
    {
      key: "rate",
      head: t("agents.rate"),
      sortKey: "rate",
      width: 100,
      align: "right",
      cell: (agent) => `${Number(agent.rate)}%`,
    },
    {
      key: "invited",
      head: t("agents.invited"),
      sortKey: "invited",
      width: 100,
      align: "right",
      cell: (agent) => <Count value={agent.invited} />,
    },
    {
      key: "balance",
      head: t("agents.balance"),
      sortKey: "balance",
      width: 140,
      align: "right",
      cell: (agent) => <Money quota={agent.balance} />,
    },
    {
      key: "earned",
      head: t("agents.earned"),
      sortKey: "earned",
      width: 140,
      align: "right",
      cell: (agent) => <Money quota={agent.earned} />,
    },
    { key: "note", head: t("agents.note"), cell: (agent) => agent.note || "–" },
  ];
  return (
    <PagedTable<AgentRow>
      name="agents"
      read={(page, signal) => readData(agentApi.get({ query: { keyword, ...page }, fetch: { signal } }))}
      filters={{ keyword }}
      defaultSort="created_time"
      columns={columns}
      rowId={(agent) => agent.user_id}
      rowName={(agent) => agent.username}
      unit={t("agents.unit")}
      empty={<EmptyState icon={<Handshake />} title={t("agents.emptyTitle")} body={t("agents.emptyBody")} />}
      actions={(agent) => [{ label: t("agents.form.change"), icon: <Edit />, onSelect: () => onEdit(agent) }]}
      onOpen={onEdit}
      isDim={(agent) => !agent.is_active}
    />
  );
};
