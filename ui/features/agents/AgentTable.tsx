import Edit from "@mui/icons-material/EditOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../src/domain/wallet/agents/list-agents.ts";
import { readData } from "../../api/client.ts";
import { agentApi } from "../../api/groups.ts";
import type { Column } from "../../components/data-table/column.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Count, Money } from "../../components/Money.tsx";
import { StatusChip } from "../../components/StatusChip.tsx";
import { PagedTable } from "../wallet/PagedTable.tsx";

/** All agents; `keyword` is part of their name. */
export const AgentTable = ({ keyword, onEdit }: { keyword: string; onEdit: (agent: AgentRow) => void }) => {
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
      usualSort="created_time"
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
