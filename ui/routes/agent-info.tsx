import Handshake from "@mui/icons-material/HandshakeOutlined";
import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { WithdrawalView } from "../../src/domain/wallet/agents/list-withdrawals.ts";
import { readData } from "../api/client.ts";
import { agentApi } from "../api/groups.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { AgentSummary } from "../features/agents/AgentSummary.tsx";
import { ownAgent, transferEarnings } from "../features/agents/agent-calls.ts";
import { WithdrawDialog } from "../features/agents/WithdrawDialog.tsx";
import { withdrawalColumns } from "../features/agents/withdrawal-columns.tsx";
import { TransferDialog } from "../features/rewards/TransferDialog.tsx";
import { PagedTable } from "../features/wallet/PagedTable.tsx";
import { RebateTable } from "../features/wallet/RebateTable.tsx";

const LISTS = ["dividends", "withdrawals"] as const;

/** What I earn as an agent, and having it paid out. */
export const AgentInfoPage = () => {
  const { t } = useTranslation();
  const { data: agent, error, refetch } = useQuery(ownAgent);
  const address = useAddress();
  const list = LISTS.find((name) => name === address.text("list")) ?? "dividends";
  const [dialog, setDialog] = useState<"transfer" | "withdraw" | null>(null);
  const close = () => setDialog(null);
  if (agent === undefined) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton variant="rounded" height={140} />
    );
  }
  if (agent === null) {
    return <EmptyState icon={<Handshake />} title={t("agents.own.noneTitle")} body={t("agents.own.noneBody")} isPage />;
  }
  return (
    <>
      <PageHeader title={t("agents.own.title")} purpose={t("agents.own.purpose")} />
      <AgentSummary agent={agent} onTransfer={() => setDialog("transfer")} onWithdraw={() => setDialog("withdraw")} />
      <Tabs
        value={list}
        onChange={(_, next: string) => address.set({ list: next, sort: undefined, order: undefined })}
        aria-label={t("agents.own.title")}
        sx={{ mt: 6, mb: 3 }}
      >
        {LISTS.map((name) => (
          <TabItem key={name} value={name} label={t(`agents.lists.${name}`)} id={`tab-${name}`} aria-controls="list" />
        ))}
      </Tabs>
      <div role="tabpanel" id="list" aria-labelledby={`tab-${list}`}>
        {list === "dividends" ? (
          <RebateTable
            name="dividends"
            read={(query, signal) => readData(agentApi.dividends.get({ query, fetch: { signal } }))}
          />
        ) : (
          <PagedTable<WithdrawalView>
            name="withdrawals"
            read={(query, signal) => readData(agentApi.withdrawals.get({ query, fetch: { signal } }))}
            usualSort="created_time"
            columns={withdrawalColumns(t, false)}
            rowId={(row) => row.id}
            rowName={(row) => `#${row.id}`}
            unit={t("agents.requests.unit")}
            empty={
              <EmptyState
                icon={<Handshake />}
                title={t("agents.requests.emptyTitle")}
                body={t("agents.requests.emptyBody")}
              />
            }
          />
        )}
      </div>
      {dialog === "withdraw" && <WithdrawDialog available={agent.balance} onClose={close} />}
      {dialog === "transfer" && (
        <TransferDialog
          available={agent.balance}
          transfer={transferEarnings}
          queryKey={ownAgent.queryKey}
          onClose={close}
        />
      )}
    </>
  );
};
