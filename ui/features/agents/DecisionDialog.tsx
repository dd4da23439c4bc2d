import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { WithdrawalAction } from "../../../src/domain/wallet/agents/decide-withdrawal.ts";
import type { WithdrawalView } from "../../../src/domain/wallet/agents/list-withdrawals.ts";
import { Col, Field } from "../../components/layout.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { useCheckedForm } from "../../components/use-checked-form.ts";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { WALLET_KEY } from "../wallet/wallet-calls.ts";
import { decideWithdrawal } from "./agent-calls.ts";

type Props = { request: WithdrawalView; action: WithdrawalAction; onClose: () => void };

/** Asks before a decision about somebody's money, and for a word to them. */
export const DecisionDialog = ({ request, action, onClose }: Props) => {
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
