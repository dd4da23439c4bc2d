import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { useActing } from "../../../account/organizations/use-organization.ts";
import { periodText, rateText } from "../period-text.ts";
import { changePlan } from "../plan-calls.ts";
import { SubscribeDialog } from "./SubscribeDialog.tsx";
import { useChange } from "./use-change.ts";

/** A plan that is offered, and the ways to it. */
export const PlanCard = ({ plan, own }: { plan: Plan; own: readonly SubscriptionView[] }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const confirm = useConfirm();
  const { may } = useActing();
  const subscribed = useChange(t("plans.subscribed", { name: plan.name }));
  const switchable = own.find(({ status, is_card: isCard }) => status === "active" && !isCard);
  const price = amountText(plan.price, format);
  const rates = rateText(plan.requestsPerMinute, plan.tokensPerMinute, t);
  const [isSubscribing, setSubscribing] = useState(false);
  const change = async (current: SubscriptionView) => {
    const isSure = await confirm({
      title: t("plans.switchTitle", { name: plan.name }),
      body: t(plan.price > current.price ? "plans.upgradeBody" : "plans.downgradeBody", {
        price,
        current: current.plan_name,
      }),
      action: t("plans.switch"),
    });
    if (isSure) subscribed.mutate(() => changePlan(current.id, plan.id));
  };
  return (
    <Panel title={plan.name}>
      <Box className="num" sx={{ fontSize: 24, lineHeight: "32px", fontWeight: 650 }}>
        {plan.price === 0 ? t("plans.free") : price}
        <Box component="span" sx={{ ml: 1, fontSize: 13, fontWeight: 400, color: "text.secondary" }}>
          {periodText(plan, t)}
        </Box>
      </Box>
      <Box sx={{ mt: 2, fontSize: 13 }}>
        {t(`plans.quotaPer.${plan.window}`, { quota: amountText(plan.windowQuota, format) })}
      </Box>
      {!plan.allowsOverage && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>
          {t(plan.models.length > 0 ? "plans.modelsOnly" : "plans.noOverage")}
        </Box>
      )}
      {plan.models.length > 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary", overflowWrap: "anywhere" }}>
          {t("plans.models", { models: plan.models.join(", ") })}
        </Box>
      )}
      {rates !== "" && <Box sx={{ fontSize: 13, color: "text.secondary" }}>{rates}</Box>}
      {plan.userGroup && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("plans.group", { group: plan.userGroup })}</Box>
      )}
      {plan.seats !== null && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>
          {t("plans.seats", { seats: plan.seats })}
          {plan.seatPrice > 0 &&
            ` · ${t("plans.seatMore", { price: amountText(plan.seatPrice, format), period: periodText(plan, t) })}`}
        </Box>
      )}
      {plan.description && (
        <Box sx={{ mt: 1, fontSize: 13, color: "text.secondary", whiteSpace: "pre-line" }}>{plan.description}</Box>
      )}
      {may("wallet.topUp") && (
        <Row gap={2} wrap sx={{ mt: 3, rowGap: 2 }}>
          <Button
            variant="contained"
            color="primary"
            loading={subscribed.isPending}
            onClick={() => setSubscribing(true)}
          >
            {plan.trialDays > 0 ? t("plans.try", { count: plan.trialDays }) : t("plans.subscribe")}
          </Button>
          {switchable && (
            <Button disabled={subscribed.isPending} onClick={() => void change(switchable)}>
              {t("plans.switchFrom", { name: switchable.plan_name })}
            </Button>
          )}
        </Row>
      )}
      {isSubscribing && <SubscribeDialog plan={plan} onClose={() => setSubscribing(false)} />}
    </Panel>
  );
};
