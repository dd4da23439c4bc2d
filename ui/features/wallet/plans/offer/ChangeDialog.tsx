import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChangePreview } from "../../../../../src/domain/wallet/plans/changes/change-subscription.ts";
import type { Plan } from "../../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { Col } from "../../../../components/layout.tsx";
import { Choice } from "../Choice.tsx";
import { periodText } from "../period-text.ts";
import { useConfirmedChange } from "./use-change.ts";

type Props = Readonly<{
  /** Subscriptions that can be changed: one at least. */
  from: readonly [SubscriptionView, ...SubscriptionView[]];
  plan: Plan;
  onClose: () => void;
}>;

/** Says what a change to another plan costs and when it begins, and changes to it. */
export const ChangeDialog = ({ from, plan, onClose }: Props) => {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(String(from[0].id));
  const current = from.find(({ id }) => String(id) === chosen) ?? from[0];
  const { preview, shown, texts, confirm, submit } = useConfirmedChange(current.id, { planId: plan.id }, onClose);
  return (
    <FormDialog
      title={t("plans.switchTitle", { name: plan.name })}
      action={t(shown?.pays === "paypal" ? "plans.toCard" : "plans.switch")}
      isBusy={confirm.isPending}
      isDisabled={!shown}
      onClose={onClose}
      onSubmit={submit}
    >
      {from.length > 1 && (
        <Box sx={{ mb: 3 }}>
          <Choice
            id="change-from"
            label={t("plans.changeFrom")}
            value={chosen}
            options={from.map(({ id, plan_name: name }) => [String(id), name] as const)}
            onChange={(next) => {
              setChosen(next);
              confirm.reset();
            }}
          />
        </Box>
      )}
      {preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <Col gap={3} sx={{ fontSize: 13 }}>
          {shown && texts ? (
            <Box role="status">
              <Box component="dl" sx={AMOUNTS}>
                <dt>{t("plans.dueNow")}</dt>
                <dd className="num">{texts.due}</dd>
                <dt>{t("plans.dueFrom", { date: texts.date })}</dt>
                <dd className="num">
                  {texts.price} {periodText(plan, t)}
                </dd>
              </Box>
              <div>
                {t(textOf(shown), {
                  ...{ ...texts, name: plan.name, current: current.plan_name, period: periodText(plan, t) },
                })}
              </div>
            </Box>
          ) : (
            <Skeleton variant="rounded" height={60} />
          )}
          {confirm.error && (
            <Box role="alert" sx={{ color: "error.main" }}>
              {confirm.error.message}
            </Box>
          )}
        </Col>
      )}
    </FormDialog>
  );
};

/** What is paid when: names on the left, amounts on the right. */
const AMOUNTS = {
  display: "grid",
  gridTemplateColumns: "1fr auto",
  gap: 2,
  m: 0,
  mb: 3,
  pb: 3,
  borderBottom: "1px solid",
  borderColor: "line.main",
  "& dt": { color: "text.secondary" },
  "& dd": { m: 0, fontWeight: 600, textAlign: "right" },
} as const;

const textOf = ({ pays, starts }: ChangePreview) => {
  if (pays === "paypal") return "plans.paypalChangeBody";
  if (starts === "next_period") return "plans.downgradeBody";
  return pays === "stripe" ? "plans.cardUpgradeBody" : "plans.upgradeBody";
};
