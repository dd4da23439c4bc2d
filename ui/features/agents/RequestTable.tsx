import Approve from "@mui/icons-material/CheckOutlined";
import Reject from "@mui/icons-material/CloseOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Pay from "@mui/icons-material/PaymentsOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { WithdrawalAction } from "../../../src/domain/wallet/agents/decide-withdrawal.ts";
import type { WithdrawalView } from "../../../src/domain/wallet/agents/list-withdrawals.ts";
import { readData } from "../../api/client.ts";
import { agentApi } from "../../api/groups.ts";
import type { RowAction } from "../../components/data-table/column.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../wallet/PagedTable.tsx";
import { DecisionDialog } from "./DecisionDialog.tsx";
import { withdrawalColumns } from "./withdrawal-columns.tsx";

/** Everybody's withdrawals in one state, or all, and what can be decided about them. */
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
        usualSort="created_time"
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
