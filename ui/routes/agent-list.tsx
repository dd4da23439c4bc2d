import Add from "@mui/icons-material/AddOutlined";
import Button from "@mui/material/Button";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../src/domain/wallet/agents/list-agents.ts";
import { FilterBar } from "../components/FilterBar.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { AgentDialog } from "../features/agents/AgentDialog.tsx";
import { AgentTable } from "../features/agents/AgentTable.tsx";
import { RequestTable } from "../features/agents/RequestTable.tsx";
import { WITHDRAWAL_STATUSES } from "../features/agents/withdrawal-columns.tsx";

const ALL = "all";

/** Who earns a share of recharges, and who wants it paid out. */
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
