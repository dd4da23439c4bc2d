import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinkButton from "@mui/material/Link";
import Skeleton from "@mui/material/Skeleton";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAccount, useActing, useLinkedAccount } from "../../api/accounts/use-organization.ts";
import { readData } from "../../api/client.ts";
import { paymentApi } from "../../api/groups.ts";
import { amountText, Count, Money, useMoneyFormat } from "../../components/display/Money.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { PageHeader, Panel, Row } from "../../components/layout.tsx";
import { ListTable } from "../../components/page/list/ListPage.tsx";
import { useAddress } from "../../components/use-address.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { formatDate } from "../../lib/format/time.ts";
import { warnedBalance } from "../alerts/alert-link.ts";
import { Lasts } from "../alerts/Lasts.tsx";
import { ownAgent } from "./agents/agent-calls.ts";
import { CheckInCard } from "./CheckInCard.tsx";
import { InvitationCard, rebatesOf } from "./InvitationCard.tsx";
import { AutoTopUpCard } from "./orders/AutoTopUpCard.tsx";
import { OrderTable } from "./orders/order-columns.tsx";
import { PlansPanel } from "./plans/PlansPanel.tsx";
import { offeredPlans, ownSubscriptions } from "./plans/plan-calls.ts";
import { RedeemCard } from "./RedeemCard.tsx";
import { StatementTable } from "./statements/StatementTable.tsx";
import { TopUpCard } from "./TopUpCard.tsx";
import { paymentOptions } from "./wallet-calls.ts";

export const REBATES = rebatesOf("rebates", (query, signal) =>
  readData(paymentApi.user.topup.rebates.get({ query, fetch: { signal } })),
);

const LISTS = ["plans", "orders", "statements", "rebates"] as const;

/** The balance of the account that the user acts for, ways to top up, and past top-ups. */
export const WalletPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  useLinkedAccount();
  const { id: organization, may } = useActing();
  const { data: payment } = useQuery({ ...paymentOptions, enabled: may("wallet.read") });
  const isOwn = organization === null;
  // Rebates are for whoever invited others, not for an organization.
  const plans = useQuery({ ...offeredPlans, enabled: may("wallet.read") });
  const own = useQuery({ ...ownSubscriptions, enabled: may("wallet.read") });
  const hasPlans = Boolean(plans.data?.length || own.data?.length);
  const lists = LISTS.filter((name) => (name !== "rebates" || isOwn) && (name !== "plans" || hasPlans));
  // Payments return here with their order.
  const [usual] = address.text("order") === "" ? lists : (["orders"] as const);
  const list = lists.find((name) => name === address.text("list")) ?? usual ?? "orders";
  return (
    <>
      <PageHeader title={t("wallet.title")} purpose={t("wallet.purpose")} actions={isOwn && <AgentLink />} />
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0,1fr)", md: "minmax(280px,1fr) 2fr" } }}>
        <BalanceCard />
        {may("wallet.topUp") && <TopUpCard />}
      </Box>
      {may("wallet.read") && <AutoTopUpCard />}
      <Box
        sx={{
          mt: 4,
          display: "grid",
          gap: 4,
          gridTemplateColumns: { xs: "minmax(0,1fr)", md: "repeat(auto-fit, minmax(300px, 1fr))" },
        }}
      >
        {isOwn && <CheckInCard />}
        {may("wallet.topUp") && <RedeemCard initialCode={address.text("code")} link={payment?.link ?? ""} />}
      </Box>
      {isOwn && (
        <Box sx={{ mt: 4 }}>
          <InvitationCard />
        </Box>
      )}
      {may("wallet.read") && !plans.isLoading && !own.isLoading && <Lists list={list} lists={lists} />}
    </>
  );
};

type List = (typeof LISTS)[number];

/** Plans where there are any, past top-ups, statements, and for people rebates. */
const Lists = ({ list, lists }: { list: List; lists: readonly List[] }) => {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <>
      <Tabs
        value={list}
        onChange={(_, next: string) => address.set({ list: next, sort: undefined, order: undefined })}
        aria-label={t("wallet.lists.label")}
        sx={{ mt: 6, mb: 3 }}
      >
        {lists.map((name) => (
          <TabItem key={name} value={name} label={t(`wallet.lists.${name}`)} id={`tab-${name}`} aria-controls="list" />
        ))}
      </Tabs>
      <div role="tabpanel" id="list" aria-labelledby={`tab-${list}`}>
        {list === "plans" && <PlansPanel />}
        {list === "orders" && <OrderTable />}
        {list === "statements" && <StatementTable />}
        {list === "rebates" && <ListTable list={REBATES} />}
      </div>
    </>
  );
};

/** Balance and usage. */
const BalanceCard = () => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { data, error, refetch } = useAccount();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <Panel>
      <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("wallet.balance")}</Box>
      {data ? (
        <Box
          className="num"
          sx={{ mt: 1, fontSize: 34, lineHeight: "42px", fontWeight: 650, overflowWrap: "anywhere" }}
        >
          {amountText(data.quota, format)}
        </Box>
      ) : (
        <Skeleton width={160} height={42} />
      )}
      <Box className="num" sx={{ fontSize: 13, color: "text.secondary" }}>
        {data ? t("wallet.units", { units: formatNumber(data.quota) }) : <Skeleton width={96} height={20} />}
      </Box>
      <Box sx={{ mt: 1, fontSize: 12, lineHeight: "18px", color: "text.tertiary" }}>
        {data && <Forecast balance={data.quota} />}
      </Box>
      <RunningPlans />
      <Row
        gap={4}
        sx={{ mt: 6, pt: 4, borderTop: "1px solid", borderColor: "line.faint", justifyContent: "space-between" }}
      >
        <Fact name={t("wallet.used")}>{data ? <Money quota={data.used_quota} /> : "–"}</Fact>
        <Fact name={t("wallet.requests")}>{data ? <Count value={data.request_count} /> : "–"}</Fact>
        <Fact name={t("wallet.group")}>{data?.group ?? "–"}</Fact>
      </Row>
    </Panel>
  );
};

/** The plans that run, each with what is left of it and when it ends or is renewed. */
const RunningPlans = () => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const address = useAddress();
  const { may } = useActing();
  const { data = [] } = useQuery({ ...ownSubscriptions, enabled: may("wallet.read") });
  return data.map((plan) => {
    const date = formatDate(plan.period_end * 1000, i18n.language, { month: "short", day: "numeric" });
    const ends = plan.cancel_at_end || plan.status === "ending";
    const isDue = plan.pay_method !== null && plan.renewal_price > 0 && !plan.is_next_paid;
    const next = plan.status === "paused" ? "planPaused" : ends ? "planEnds" : isDue ? "planDue" : "planRenews";
    return (
      <Box key={plan.id} sx={{ mt: 2, fontSize: 13, lineHeight: "18px", overflowWrap: "anywhere" }}>
        <LinkButton component="button" onClick={() => address.set({ list: "plans" })} sx={{ fontWeight: 560 }}>
          {plan.plan_name}
        </LinkButton>
        <Box className="num" sx={{ color: "text.secondary", fontSize: 12 }}>
          {[
            plan.window_quota > 0 && t("wallet.planLeft", { left: amountText(plan.remaining, format) }),
            t(`wallet.${next}`, { date }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </Box>
      </Box>
    );
  });
};

/** For how long the balance lasts, and an alert before it ends. */
const Forecast = ({ balance }: { balance: number }) => {
  const { id, may } = useActing();
  if (!may("usage.read")) return null;
  const scope = id === null ? "own" : "organization";
  const alert = (daily: number) => ({ scope, event: "balance_low", threshold: warnedBalance(daily) }) as const;
  return <Lasts of="account" id={id ?? 0} balance={balance} alert={may("alerts.manage") ? alert : null} />;
};

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box sx={{ minWidth: 0 }}>
    <Box sx={{ fontSize: 12, color: "text.secondary" }}>{name}</Box>
    <Box sx={{ fontSize: 13, fontWeight: 620, overflowWrap: "anywhere" }}>{children}</Box>
  </Box>
);

/** A link to the agent's page; renders nothing for others. */
const AgentLink = () => {
  const { t } = useTranslation();
  const { data } = useQuery(ownAgent);
  if (!data) return null;
  return (
    <Button component={Link} to="/topup/agent">
      {t("agents.own.title")}
    </Button>
  );
};
