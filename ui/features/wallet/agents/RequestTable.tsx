import Approve from "@mui/icons-material/CheckOutlined";
import Reject from "@mui/icons-material/CloseOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Pay from "@mui/icons-material/PaymentsOutlined";
import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
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
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
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
  const client = useQueryClient();
  const { form, change, problem, isSaving, submit } = useCheckedForm({
    initial: { reply: "" },
    rejection: "inline",
    send: async ({ reply }) => {
      try {
        await decideWithdrawal(request.id, action, reply);
        notifyDone(t("agents.decide.done"));
        onClose();
      } finally {
        await client.invalidateQueries({ queryKey: WALLET_KEY });
      }
    },
  });
  const amount = amountText(request.quota, format);
  return (
    <FormDialog
      title={t(`agents.decide.${action}Title`, { amount, name: request.username })}
      action={t(`agents.decide.${action}`)}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Box sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
          {t(`agents.decide.${action}Body`, { account: request.account })}
        </Box>
        <Field label={t("agents.decide.reply")} htmlFor="reply" error={problem}>
          <OutlinedInput
            id="reply"
            fullWidth
            autoFocus
            value={form.reply}
            onChange={(event) => change({ reply: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
