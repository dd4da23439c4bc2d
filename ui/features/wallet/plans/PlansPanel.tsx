import CardMembership from "@mui/icons-material/CardMembershipOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionAction, SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDate } from "../../../lib/format/time.ts";
import { paymentOptions } from "../wallet-calls.ts";
import { NextPeriodDialog } from "./offer/PeriodPayment.tsx";
import { PlanCard } from "./offer/PlanCard.tsx";
import { RenewalDialog, RenewalText } from "./offer/RenewalDialog.tsx";
import { useChange } from "./offer/use-change.ts";
import { leftOfCalls, rateText } from "./period-text.ts";
import { changePlan, offeredPlans, openPortal, ownSubscriptions, setPaused, setRenewal } from "./plan-calls.ts";
import { SeatsDialog } from "./SeatsDialog.tsx";

/** The account's subscriptions and the plans that are offered to it. */
export const PlansPanel = () => {
  const { t } = useTranslation();
  const plans = useQuery(offeredPlans);
  const own = useQuery(ownSubscriptions);
  const error = plans.error ?? own.error;
  if (error) {
    return (
      <ErrorState
        error={error}
        onRetry={() => {
          void plans.refetch();
          void own.refetch();
        }}
      />
    );
  }
  if (!plans.data || !own.data) return <Skeleton variant="rounded" height={220} />;
  if (plans.data.length === 0 && own.data.length === 0) {
    return <EmptyState icon={<CardMembership />} title={t("plans.emptyTitle")} body={t("plans.emptyBody")} />;
  }
  return (
    <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: "repeat(auto-fill, minmax(min(100%, 280px), 1fr))" }}>
      {own.data.map((subscription) => (
        <SubscriptionCard key={subscription.id} subscription={subscription} plans={plans.data} />
      ))}
      {plans.data
        .filter(({ id }) => !own.data.some(({ plan_id }) => plan_id === id))
        .map((plan) => (
          <PlanCard key={plan.id} plan={plan} own={own.data} />
        ))}
    </Box>
  );
};

const SubscriptionCard = ({ subscription: own, plans }: { subscription: SubscriptionView; plans: readonly Plan[] }) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const confirm = useConfirm();
  const { may } = useActing();
  const change = useChange(t("plans.saved"));
  const [isChangingSeats, setChangingSeats] = useState(false);
  const [isChangingMethod, setChangingMethod] = useState(false);
  const periods = useQuery(paymentOptions).data?.periods ?? [];
  const address = useAddress({ keepsPlace: true });
  // Others than the balance have to be set up.
  const mayUse = (action: SubscriptionAction) =>
    may("wallet.topUp") &&
    own.actions.includes(action) &&
    (action !== "set_pay_method" || own.pay_method !== null || periods.length > 0);
  // Reminders link here.
  const [isPayingNext, setPayingNext] = useState(address.text("pay") === String(own.id));
  const portal = useMutation({
    mutationFn: openPortal,
    onSuccess: ({ url }) => window.location.assign(url),
    onError: notifyError,
  });
  const dateOf = (seconds: number) => formatDate(seconds * 1000, i18n.language, { dateStyle: "medium" });
  const next = plans.find(({ id }) => id === own.next_plan_id);
  const isPaypal = own.service === "paypal";
  const cancel = async () => {
    const isSure = await confirm({
      title: t("plans.cancelTitle", { name: own.plan_name }),
      body: `${t("plans.cancelBody", { date: dateOf(own.period_end) })}${isPaypal ? ` ${t("plans.paypalFinal")}` : ""}`,
      action: t("plans.cancel"),
      isDangerous: true,
    });
    if (isSure) change.mutate(() => setRenewal(own.id, false));
  };
  const isPaused = own.status === "paused";
  const stay = async () => {
    const { url } = await changePlan(
      own.id,
      own.next_plan_id === null ? { seats: own.seats ?? 0 } : { planId: own.plan_id },
    );
    if (url !== null) window.location.assign(url);
  };
  const rates = rateText(own.requests_per_minute, own.tokens_per_minute, t);
  const pause = async () => {
    const isSure = await confirm({
      title: t("plans.pauseTitle", { name: own.plan_name }),
      body: t("plans.pauseBody", { date: dateOf(own.period_end) }),
      action: t("plans.pause"),
    });
    if (isSure) change.mutate(() => setPaused(own.id, true));
  };
  const resume = async () => {
    const isSure =
      !isPaused ||
      (await confirm({
        title: t("plans.resumeTitle", { name: own.plan_name }),
        body: own.is_card
          ? t("plans.resumeCardBody")
          : t("plans.resumeBody", { price: amountText(own.renewal_price, format) }),
        action: t("plans.unpause"),
      }));
    if (isSure) change.mutate(() => setPaused(own.id, false));
  };
  const all: readonly (readonly [SubscriptionAction, string, () => void])[] = [
    ["pay_next", t("plans.orders.payNext"), () => setPayingNext(true)],
    ["set_pay_method", t("plans.orders.renewal"), () => setChangingMethod(true)],
    ["open_portal", t("plans.portal"), () => portal.mutate()],
    ["set_seats", t("plans.seatsChange"), () => setChangingSeats(true)],
    ["resume", t("plans.unpause"), () => void resume()],
    ["pause", t("plans.pause"), () => void pause()],
    ["stay", t("plans.stay", { name: own.plan_name }), () => change.mutate(stay)],
    ["give_up", t("plans.giveUp", { name: next?.name ?? "" }), () => change.mutate(stay)],
    ["keep", t("plans.resume"), () => change.mutate(() => setRenewal(own.id, true))],
    ["cancel", t("plans.cancel"), () => void cancel()],
  ];
  const buttons = all.filter(([action]) => mayUse(action));
  return (
    <Panel
      title={own.plan_name}
      action={
        <StatusChip tone={own.status === "active" ? "ok" : "warn"} quiet={own.status === "active"}>
          {t(`plans.statuses.${statusOf(own)}`)}
        </StatusChip>
      }
    >
      {!isPaused && <WindowUse own={own} />}
      {!own.allows_overage && (
        <Box sx={{ mt: 2, fontSize: 13 }}>{t(own.models.length > 0 ? "plans.modelsOnly" : "plans.noOverage")}</Box>
      )}
      {own.models.length > 0 && (
        <Box sx={{ mt: 2, fontSize: 13, overflowWrap: "anywhere" }}>
          {t("plans.models", { models: own.models.join(", ") })}
        </Box>
      )}
      {rates !== "" && <Box sx={{ mt: 2, fontSize: 13 }}>{rates}</Box>}
      {own.seats !== null && own.members > 0 && (
        <Box sx={{ mt: 2, fontSize: 13 }}>
          {t("plans.seatsUsed", { used: own.members, seats: own.seats })}
          {own.next_seats !== null && own.next_seats !== own.seats && (
            <Box sx={{ color: "text.secondary" }}>
              {t("plans.seatsNext", { date: dateOf(own.period_end), seats: own.next_seats })}
            </Box>
          )}
        </Box>
      )}
      <Box sx={{ mt: 2, fontSize: 13 }}>
        <RenewalText subscription={own} next={next?.name ?? own.plan_name} />
        {own.waiting_plan !== null && (
          <Box sx={{ color: "text.secondary" }}>
            {t("plans.changeWaits", { name: own.waiting_plan, service: isPaypal ? "PayPal" : "Stripe" })}
          </Box>
        )}
      </Box>
      {buttons.length > 0 && (
        <Row gap={2} wrap sx={{ mt: 3, rowGap: 2 }}>
          {buttons.map(([action, label, onClick]) => (
            <Button
              key={action}
              {...(action === "pay_next" && ({ variant: "contained", color: "primary" } as const))}
              loading={action === "open_portal" ? portal.isPending : IMMEDIATE.includes(action) && change.isPending}
              onClick={onClick}
            >
              {label}
            </Button>
          ))}
        </Row>
      )}
      {isPayingNext && mayUse("pay_next") && (
        <NextPeriodDialog
          subscription={own}
          onClose={() => {
            setPayingNext(false);
            address.set({ pay: undefined });
          }}
        />
      )}
      {isChangingMethod && <RenewalDialog subscription={own} onClose={() => setChangingMethod(false)} />}
      {isChangingSeats && own.least_seats !== null && (
        <SeatsDialog subscription={own} least={own.least_seats} onClose={() => setChangingSeats(false)} />
      )}
    </Panel>
  );
};

/** What is done at once, or once it is confirmed; the others open a dialog or a page. */
const IMMEDIATE: readonly SubscriptionAction[] = ["resume", "pause", "stay", "give_up", "keep", "cancel"];

const statusOf = ({ status, is_trial }: SubscriptionView) =>
  status === "active" && is_trial
    ? "trial"
    : ((["active", "past_due", "paused"] as const).find((known) => known === status) ?? "ending");

/** What is left of the window of a subscription, and when the next comes. */
const WindowUse = ({ own }: { own: SubscriptionView }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const quota = t("plans.leftOf", {
    left: amountText(own.remaining, format),
    quota: amountText(own.window_quota, format),
  });
  return (
    <>
      {own.window_calls > 0 && (
        <Left label={t("plans.callsLeft")} text={leftOfCalls(own, t)} part={own.calls_left / own.window_calls} />
      )}
      {own.window_quota > 0 && <Left label={t("plans.left")} text={quota} part={own.remaining / own.window_quota} />}
      {(own.window_calls > 0 || own.window_quota > 0) && (
        <Row gap={1} sx={{ fontSize: 12, color: "text.secondary" }}>
          {own.is_window_open ? (
            <>
              {t("plans.refilled")} <TimeAgo seconds={own.window_end} />
            </>
          ) : (
            t("plans.windowReady")
          )}
        </Row>
      )}
    </>
  );
};

/** `part`: 0 to 1, more where a smaller plan follows. */
const Left = ({ label, text, part }: { label: string; text: string; part: number }) => (
  <>
    <Row sx={{ fontSize: 13, justifyContent: "space-between" }}>
      <span>{label}</span>
      <span className="num">{text}</span>
    </Row>
    <LinearProgress
      variant="determinate"
      value={Math.min(100, 100 * part)}
      aria-label={label}
      sx={{ my: 2, height: 6, borderRadius: 3 }}
    />
  </>
);
