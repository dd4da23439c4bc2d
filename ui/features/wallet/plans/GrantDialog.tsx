import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
import { WALLET_KEY } from "../wallet-calls.ts";
import { grantPlan } from "./plan-calls.ts";

/** Gives a user or an organization a plan for one period. */
export const GrantDialog = ({ plans, onClose }: { plans: readonly Plan[]; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { userId: "", planId: plans[0]?.id ?? 0 },
    check: ({ userId }) => ({ userId: /^[1-9]\d{0,8}$/.test(userId.trim()) ? undefined : "idMissing" }),
    rejection: "inline",
    send: async ({ userId, planId }) => {
      await grantPlan(Number(userId), planId);
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("plans.grant.done"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("plans.grant.title")}
      action={t("plans.grant.action")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Field
          label={t("plans.grant.user")}
          htmlFor="grant-user"
          hint={t("plans.grant.userHint")}
          error={faults.userId ? t("plans.grant.idMissing") : problem}
        >
          <OutlinedInput
            id="grant-user"
            fullWidth
            autoFocus
            value={form.userId}
            onChange={(event) => change({ userId: event.target.value.trim() })}
            error={faults.userId !== undefined}
            inputProps={{ inputMode: "numeric", className: "num" }}
          />
        </Field>
        <Field label={t("plans.plan")} htmlFor="grant-plan" hint={t("plans.grant.hint")}>
          <Select
            fullWidth
            value={form.planId}
            onChange={(event) => change({ planId: Number(event.target.value) })}
            inputProps={{ id: "grant-plan" }}
          >
            {plans.map((plan) => (
              <MenuItem key={plan.id} value={plan.id}>
                {plan.name}
              </MenuItem>
            ))}
          </Select>
        </Field>
      </Col>
    </FormDialog>
  );
};
