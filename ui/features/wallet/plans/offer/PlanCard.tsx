import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import { periodText, rateText } from "../period-text.ts";
import { ChangeDialog } from "./ChangeDialog.tsx";
import { SubscribeDialog } from "./SubscribeDialog.tsx";

/** A plan that is offered, and the ways to it. */
export const PlanCard = ({ plan, own }: { plan: Plan; own: readonly SubscriptionView[] }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { may } = useActing();
  // A change that is agreed with a service is taken back before another.
  const [switchable, ...others] = own.filter(
    ({ status, is_card: isCard, next_plan_id: nextId }) =>
      status === "active" && nextId !== plan.id && !(isCard && nextId !== null),
  );
  const price = amountText(plan.price, format);
  const rates = rateText(plan.requestsPerMinute, plan.tokensPerMinute, t);
  const [isSubscribing, setSubscribing] = useState(false);
  const [isChanging, setChanging] = useState(false);
  return (
    <Panel title={plan.name}>
      <Box className="num" sx={{ fontSize: 24, lineHeight: "32px", fontWeight: 650 }}>
        {plan.price === 0 ? t("plans.free") : price}
        <Box component="span" sx={{ ml: 1, fontSize: 13, fontWeight: 400, color: "text.secondary" }}>
          {periodText(plan, t)}
        </Box>
      </Box>
      <Box sx={{ mt: 2, fontSize: 13 }}>
        {plan.windowCalls > 0 && (
          <div>{t(`plans.callsPer.${plan.window}`, { calls: formatNumber(plan.windowCalls) })}</div>
        )}
        {(plan.windowQuota > 0 || plan.windowCalls === 0) &&
          t(`plans.quotaPer.${plan.window}`, { quota: amountText(plan.windowQuota, format) })}
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
          <Button variant="contained" color="primary" onClick={() => setSubscribing(true)}>
            {plan.trialDays > 0 ? t("plans.try", { count: plan.trialDays }) : t("plans.subscribe")}
          </Button>
          {switchable && (
            <Button onClick={() => setChanging(true)}>
              {others.length > 0 ? t("plans.switch") : t("plans.switchFrom", { name: switchable.plan_name })}
            </Button>
          )}
        </Row>
      )}
      {isChanging && switchable && (
        <ChangeDialog from={[switchable, ...others]} plan={plan} onClose={() => setChanging(false)} />
      )}
      {isSubscribing && <SubscribeDialog plan={plan} onClose={() => setSubscribing(false)} />}
    </Panel>
  );
};
