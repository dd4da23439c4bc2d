import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChangePreview } from "../../../../../src/domain/wallet/plans/changes/change-subscription.ts";
import type { Plan } from "../../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { Col } from "../../../../components/layout.tsx";
import { moneyText } from "../../../../lib/format/money.ts";
import { formatDate } from "../../../../lib/format/time.ts";
import { reloadWallet } from "../../wallet-calls.ts";
import { Choice } from "../Choice.tsx";
import { periodText } from "../period-text.ts";
import { changePlan, changePreview } from "../plan-calls.ts";

type Props = Readonly<{
  /** Subscriptions that can be changed: one at least. */
  from: readonly [SubscriptionView, ...SubscriptionView[]];
  plan: Plan;
  onClose: () => void;
}>;

/** Says what a change to another plan costs and when it begins, and changes to it. */
export const ChangeDialog = ({ from, plan, onClose }: Props) => {
  const { t, i18n } = useTranslation();
  const [chosen, setChosen] = useState(String(from[0].id));
  const current = from.find(({ id }) => String(id) === chosen) ?? from[0];
  const format = useMoneyFormat();
  const client = useQueryClient();
  const preview = useQuery(changePreview(current.id, { planId: plan.id }));
  const change = useMutation({
    mutationFn: (confirmed: ChangePreview) => changePlan(current.id, { planId: plan.id }, confirmed),
    onSuccess: ({ url }) => {
      if (url !== null) return window.location.assign(url);
      notifyDone(t("plans.saved"));
      onClose();
    },
    onSettled: () => reloadWallet(client),
  });
  const shown = preview.data;
  const money = (units: number, text: string) =>
    shown?.pays === "balance" ? amountText(units, format) : moneyText(text, shown?.currency ?? "", i18n.language);
  const due = shown && money(shown.due_units, shown.due);
  const price = shown && money(shown.price_units, shown.price);
  const date = shown && formatDate(shown.period_end * 1000, i18n.language, { dateStyle: "medium" });
  return (
    <FormDialog
      title={t("plans.switchTitle", { name: plan.name })}
      action={t(shown?.pays === "paypal" ? "plans.toCard" : "plans.switch")}
      isBusy={change.isPending}
      isDisabled={!shown}
      onClose={onClose}
      onSubmit={() => shown && change.mutate(shown)}
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
              change.reset();
            }}
          />
        </Box>
      )}
      {preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <Col gap={3} sx={{ fontSize: 13 }}>
          {shown ? (
            <Box role="status">
              <Box component="dl" sx={AMOUNTS}>
                <dt>{t("plans.dueNow")}</dt>
                <dd className="num">{due}</dd>
                <dt>{t("plans.dueFrom", { date })}</dt>
                <dd className="num">
                  {price} {periodText(plan, t)}
                </dd>
              </Box>
              <div>
                {t(textOf(shown), {
                  name: plan.name,
                  current: current.plan_name,
                  period: periodText(plan, t),
                  due,
                  price,
                  date,
                })}
              </div>
            </Box>
          ) : (
            <Skeleton variant="rounded" height={60} />
          )}
          {change.error && (
            <Box role="alert" sx={{ color: "error.main" }}>
              {change.error.message}
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
