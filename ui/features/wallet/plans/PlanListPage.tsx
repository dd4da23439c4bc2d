import Add from "@mui/icons-material/AddOutlined";
import CardMembership from "@mui/icons-material/CardMembershipOutlined";
import Pause from "@mui/icons-material/PauseCircleOutlined";
import Resume from "@mui/icons-material/PlayCircleOutlined";
import Stop from "@mui/icons-material/StopCircleOutlined";
import Button from "@mui/material/Button";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { hasRootRight } from "../../../state/stored-user.ts";
import { CaseTable } from "./CaseTable.tsx";
import { CouponDialog } from "./CouponDialog.tsx";
import { CouponTable } from "./CouponTable.tsx";
import { PlanDialog } from "./PlanDialog.tsx";
import { PlanTable } from "./PlanTable.tsx";
import { leftOfCalls } from "./period-text.ts";
import { allPlans, endSubscription, grantPlan, setPausedOf } from "./plan-calls.ts";

/** Gives a user or an organization a plan for one period. */
const GrantDialog = ({ plans, onClose }: { plans: readonly Plan[]; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      as="dialog"
      title={t("plans.grant.title")}
      action={t("plans.grant.action")}
      isNew
      text={(name) => `plans.grant.${name}`}
      initial={{ userId: "", planId: plans[0]?.id ?? 0 }}
      check={({ userId }) => ({ userId: /^[1-9]\d{0,8}$/.test(userId.trim()) ? undefined : "idMissing" })}
      fault={(fault) => t(`plans.grant.${fault}`)}
      rejectedField={() => "userId"}
      save={async ({ userId, planId }) => {
        await grantPlan(Number(userId), planId);
        return t("plans.grant.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            {
              kind: "integer",
              field: "userId",
              label: t("plans.grant.user"),
              hint: t("plans.grant.userHint"),
              autoFocus: true,
            },
            {
              kind: "select",
              field: "planId",
              label: t("plans.plan"),
              hint: t("plans.grant.hint"),
              options: plans.map(({ id, name }) => [id, name] as const),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** Plans, and who has them. */
export const PlanListPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const { user } = useSession();
  const plans = useQuery(allPlans);
  const [edited, setEdited] = useState<{ plan: Plan | null } | null>(null);
  const [isGranting, setGranting] = useState(false);
  const mayEdit = hasRootRight(user, "billing:write");
  const tabs = ["plans", "subscriptions", "cases", ...(mayEdit ? (["coupons"] as const) : [])] as const;
  const tab = tabs.find((one) => one === address.text("tab")) ?? "plans";
  const [isAddingCoupon, setAddingCoupon] = useState(false);
  return (
    <>
      <PageHeader
        title={t("plans.title")}
        purpose={t("plans.purpose")}
        actions={
          <Row gap={2}>
            <Button disabled={!plans.data?.length} onClick={() => setGranting(true)}>
              {t("plans.grant.action")}
            </Button>
            {mayEdit && (
              <Button
                variant="contained"
                color="primary"
                startIcon={<Add />}
                onClick={() => (tab === "coupons" ? setAddingCoupon(true) : setEdited({ plan: null }))}
              >
                {t(tab === "coupons" ? "plans.coupons.add" : "plans.form.add")}
              </Button>
            )}
          </Row>
        }
      />
      <Tabs
        value={tab}
        onChange={(_, next: string) => address.set({ tab: next, sort: undefined, order: undefined })}
        aria-label={t("plans.title")}
        sx={{ mb: 3 }}
      >
        <TabItem value="plans" label={t("plans.title")} id="tab-plans" aria-controls="list" />
        <TabItem value="subscriptions" label={t("plans.subscriptions")} id="tab-subscriptions" aria-controls="list" />
        <TabItem value="cases" label={t("plans.cases.title")} id="tab-cases" aria-controls="list" />
        {mayEdit && <TabItem value="coupons" label={t("plans.coupons.title")} id="tab-coupons" aria-controls="list" />}
      </Tabs>
      <div role="tabpanel" id="list" aria-labelledby={`tab-${tab}`}>
        {tab === "plans" && <PlanTable plans={plans} onEdit={mayEdit ? (plan) => setEdited({ plan }) : null} />}
        {tab === "subscriptions" && <SubscriptionTable />}
        {tab === "cases" && <CaseTable />}
        {tab === "coupons" && <CouponTable />}
      </div>
      {edited && <PlanDialog plan={edited.plan} onClose={() => setEdited(null)} />}
      {isAddingCoupon && plans.data && <CouponDialog plans={plans.data} onClose={() => setAddingCoupon(false)} />}
      {isGranting && plans.data && <GrantDialog plans={plans.data} onClose={() => setGranting(false)} />}
    </>
  );
};

const SubscriptionTable = () => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries({ queryKey: WALLET_KEY }));
  const end = (row: SubscriptionView) =>
    act({
      question: {
        title: t("plans.endTitle", { name: row.plan_name, user: row.username }),
        body: t("plans.endBody"),
        action: t("plans.end"),
        isDangerous: true,
      },
      work: () => endSubscription(row.id),
      done: () => t("plans.ended"),
    });
  const pause = ({ id, plan_name: name }: SubscriptionView, paused: boolean) =>
    act({
      question: {
        title: t(paused ? "plans.pauseTitle" : "plans.resumeTitle", { name }),
        body: t(paused ? "plans.adminPauseBody" : "plans.adminResumeBody"),
        action: t(paused ? "plans.pause" : "plans.unpause"),
      },
      work: () => setPausedOf(id, paused),
      done: () => t("plans.saved"),
    });
  const columns: Column<SubscriptionView>[] = [
    { key: "user", head: t("wallet.allOrders.user"), isTitle: true, cell: (row) => row.username },
    { key: "plan", head: t("plans.plan"), width: 160, cell: (row) => row.plan_name },
    {
      key: "status",
      head: t("wallet.orders.status"),
      width: 130,
      isSolid: true,
      cell: (row) => (
        <StatusChip tone={row.status === "active" ? "ok" : "warn"} quiet={row.status === "active"}>
          {t(`plans.statuses.${row.is_trial && row.status === "active" ? "trial" : keyOf(row.status)}`)}
        </StatusChip>
      ),
    },
    {
      key: "left",
      head: t("plans.left"),
      width: 130,
      align: "right",
      cell: (row) => <Money quota={row.remaining} />,
    },
    {
      key: "calls",
      head: t("plans.callsLeft"),
      width: 130,
      align: "right",
      cell: (row) => (row.window_calls > 0 ? leftOfCalls(row, t) : "–"),
    },
    {
      key: "end",
      head: t("plans.periodEnds"),
      width: 150,
      cell: (row) => <TimeAgo seconds={row.period_end} />,
    },
    {
      key: "renewal",
      head: t("plans.renewal"),
      width: 120,
      cell: (row) => t(afterwardsOf(row)),
    },
  ];
  return (
    <PagedTable<SubscriptionView>
      name="all-subscriptions"
      read={({ p, page_size }, signal) =>
        readData(planApi.subscription.get({ query: { p, page_size, all: false }, fetch: { signal } }))
      }
      columns={columns}
      rowId={(row) => row.id}
      rowName={(row) => `${row.username}, ${row.plan_name}`}
      unit={t("plans.subscriptionUnit")}
      empty={
        <EmptyState
          icon={<CardMembership />}
          title={t("plans.noSubscriptionsTitle")}
          body={t("plans.noSubscriptionsBody")}
        />
      }
      actions={(row) => [
        isPaused(row)
          ? { label: t("plans.unpause"), icon: <Resume />, onSelect: () => void pause(row, false) }
          : {
              label: t("plans.pause"),
              icon: <Pause />,
              onSelect: () => void pause(row, true),
              isDisabled: row.status === "ending" || row.cancel_at_end,
            },
        {
          label: t("plans.end"),
          icon: <Stop />,
          onSelect: () => void end(row),
          isDisabled: row.status === "ending",
          isDangerous: true,
        },
      ]}
    />
  );
};

const keyOf = (status: string) =>
  (["active", "past_due", "paused", "ending"] as const).find((known) => known === status) ?? "ending";

const isPaused = ({ status, pause_at_end }: SubscriptionView): boolean => status === "paused" || pause_at_end;

const afterwardsOf = (row: SubscriptionView) =>
  isPaused(row) ? "plans.pausesThen" : row.cancel_at_end ? "plans.endsThen" : "plans.renews";
