import Approve from "@mui/icons-material/CheckOutlined";
import Reject from "@mui/icons-material/CloseOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Pay from "@mui/icons-material/PaymentsOutlined";
import Box from "@mui/material/Box";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { WithdrawalAction, WithdrawalView } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";
import type { RowAction } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { decideWithdrawal } from "./agent-calls.ts";
import { withdrawalColumns } from "./withdrawal-columns.tsx";

/** All users' withdrawals, filtered by status, with the actions that decide them. */
export const RequestTable = ({ status }: { status: string }) => {
  const { t } = useTranslation();
  const [open, setOpen] = useState<{ request: WithdrawalView; action: WithdrawalAction } | null>(null);
  const actions = (request: WithdrawalView): RowAction[] => {
    const decide = (action: WithdrawalAction) => () => setOpen({ request, action });
    const isRequested = request.status === "requested";
    const isApproved = request.status === "approved";
    return [
      { label: t("agents.decide.approve"), icon: <Approve />, onSelect: decide("approve"), isDisabled: !isRequested },
      { label: t("agents.decide.pay"), icon: <Pay />, onSelect: decide("pay"), isDisabled: !isApproved },
      {
        label: t("agents.decide.reject"),
        icon: <Reject />,
        onSelect: decide("reject"),
        isDisabled: !isRequested && !isApproved,
        isDangerous: true,
      },
    ];
  };
  return (
    <>
      <PagedTable<WithdrawalView>
        name="withdrawal-requests"
        read={(page, signal) => readData(agentApi.requests.get({ query: { status, ...page }, fetch: { signal } }))}
        filters={{ status }}
        defaultSort="created_time"
        columns={withdrawalColumns(t, true)}
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
        actions={actions}
      />
      {open && <DecisionDialog {...open} onClose={() => setOpen(null)} />}
    </>
  );
};

type Props = { request: WithdrawalView; action: WithdrawalAction; onClose: () => void };

/** Confirms a decision about a withdrawal, with an optional note to the user. */
const DecisionDialog = ({ request, action, onClose }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const amount = amountText(request.quota, format);
  return (
    <ResourceForm
      as="dialog"
      title={t(`agents.decide.${action}Title`, { amount, name: request.username })}
      action={t(`agents.decide.${action}`)}
      isNew
      text={(name) => `agents.decide.${name}`}
      initial={{ reply: "" }}
      rejectedField={() => "reply"}
      save={async ({ reply }) => {
        await decideWithdrawal(request.id, action, reply);
        return t("agents.decide.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            <Box key="body" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
              {t(`agents.decide.${action}Body`, { account: request.account })}
            </Box>,
            { kind: "text", field: "reply", autoFocus: true, maxCharacters: 500 },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
