import Handshake from "@mui/icons-material/HandshakeOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentInfo } from "../../../../src/domain/wallet/agents/agents.ts";
import type { WithdrawalView } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";
import { amountText, Count, Money, useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { useAddress } from "../../../components/use-address.ts";
import { rebatesOf } from "../InvitationCard.tsx";
import { TransferDialog } from "../TransferDialog.tsx";
import { askWithdrawal, ownAgent, transferEarnings } from "./agent-calls.ts";
import { withdrawalColumns } from "./withdrawal-columns.tsx";

/** Requests a withdrawal of earnings; `available` is in quota units. */
export const WithdrawDialog = ({ available, onClose }: { available: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const range = { least: amountText(format.quotaPerUnit, format), most: amountText(available, format) };
  const isWrong = (amount: number) => !Number.isInteger(amount) || amount < format.quotaPerUnit || amount > available;
  return (
    <ResourceForm
      as="dialog"
      title={t("agents.withdraw.title")}
      action={t("agents.withdraw.action")}
      isNew
      text={(name) => `agents.withdraw.${name}`}
      initial={{ quota: String(available), account: "", note: "" }}
      check={({ quota, account }) => ({
        quota: isWrong(Number(quota)) ? "range" : undefined,
        account: account.trim() === "" ? "accountMissing" : undefined,
      })}
      fault={(fault) => t(`agents.withdraw.${fault}`, range)}
      eager={["quota"]}
      rejectedField={() => "quota"}
      save={async (request) => {
        await askWithdrawal({ ...request, quota: Number(request.quota) });
        return t("agents.withdraw.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            { kind: "quota", field: "quota", hint: t("agents.withdraw.range", range) },
            { kind: "text", field: "account", hint: true, maxCharacters: 500 },
            { kind: "text", field: "note", label: t("agents.note"), maxCharacters: 500 },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

export const DIVIDENDS = rebatesOf("dividends", (query, signal) =>
  readData(agentApi.dividends.get({ query, fetch: { signal } })),
);

export const OWN_WITHDRAWALS: ResourceList<WithdrawalView> = {
  text: (name) => `agents.requests.${name}`,
  icon: Handshake,
  rows: {
    key: [...WALLET_KEY, "withdrawals"],
    read: (query, signal) => readData(agentApi.withdrawals.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
  },
  rowId: ({ id }) => id,
  rowName: ({ id }) => `#${id}`,
  unit: "agents.requests.unit",
  columns: withdrawalColumns(false),
  empty: { title: "agents.requests.emptyTitle", body: "agents.requests.emptyBody" },
};

const LISTS = ["dividends", "withdrawals"] as const;

/** The user's earnings as an agent, and withdrawals. */
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
        {list === "dividends" ? <ListTable list={DIVIDENDS} /> : <ListTable list={OWN_WITHDRAWALS} />}
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

type Props = { agent: AgentInfo; onTransfer: () => void; onWithdraw: () => void };

/** An agent's terms and earnings. */
const AgentSummary = ({ agent, onTransfer, onWithdraw }: Props) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  return (
    <Panel
      title={t("agents.own.summary")}
      action={
        <StatusChip tone={agent.is_active ? "ok" : "idle"}>
          {agent.is_active ? t("agents.active") : t("agents.paused")}
        </StatusChip>
      }
    >
      <Row gap={8} wrap sx={{ rowGap: 4, alignItems: "flex-end" }}>
        <Fact name={t("agents.balance")} isLarge>
          <Money quota={agent.balance} />
        </Fact>
        <Fact name={t("agents.held")}>
          <Money quota={agent.held} />
        </Fact>
        <Fact name={t("agents.paid")}>
          <Money quota={agent.paid} />
        </Fact>
        <Fact name={t("agents.earned")}>
          <Money quota={agent.earned} />
        </Fact>
        <Fact name={t("agents.rate")}>{`${Number(agent.rate)}%`}</Fact>
        <Fact name={t("agents.invited")}>
          <Count value={agent.invited} />
        </Fact>
        <Row gap={2} sx={{ ml: "auto" }}>
          <Button onClick={onTransfer} disabled={agent.balance < quotaPerUnit}>
            {t("rewards.invitation.transfer")}
          </Button>
          <Button variant="contained" color="primary" onClick={onWithdraw} disabled={agent.balance < quotaPerUnit}>
            {t("agents.withdraw.action")}
          </Button>
        </Row>
      </Row>
    </Panel>
  );
};

const Fact = ({ name, isLarge, children }: { name: string; isLarge?: boolean; children: ReactNode }) => (
  <Box>
    <Box sx={{ fontSize: 12, lineHeight: "16px", color: "text.secondary" }}>{name}</Box>
    <Box sx={{ fontSize: isLarge ? 26 : 16, lineHeight: isLarge ? "34px" : "24px", fontWeight: 620 }}>{children}</Box>
  </Box>
);
