import Add from "@mui/icons-material/AddOutlined";
import Button from "@mui/material/Button";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { hasRootRight } from "../../../state/stored-user.ts";
import { CouponDialog } from "./CouponDialog.tsx";
import { CASES } from "./case-list.tsx";
import { PlanDialog } from "./PlanDialog.tsx";
import { allPlans, grantPlan } from "./plan-calls.ts";
import { COUPONS, PLANS } from "./plan-lists.tsx";
import { SUBSCRIPTIONS } from "./subscription-list.tsx";

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
  const [opened, setOpened] = useState<"plan" | "coupon" | "grant" | null>(null);
  const close = () => setOpened(null);
  const mayEdit = hasRootRight(user, "billing:write");
  const tabs = ["plans", "subscriptions", "cases", ...(mayEdit ? (["coupons"] as const) : [])] as const;
  const tab = tabs.find((one) => one === address.text("tab")) ?? "plans";
  return (
    <>
      <PageHeader
        title={t("plans.title")}
        purpose={t("plans.purpose")}
        actions={
          <Row gap={2}>
            <Button disabled={!plans.data?.length} onClick={() => setOpened("grant")}>
              {t("plans.grant.action")}
            </Button>
            {mayEdit && (
              <Button
                variant="contained"
                color="primary"
                startIcon={<Add />}
                onClick={() => setOpened(tab === "coupons" ? "coupon" : "plan")}
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
        {tab === "plans" && <ListTable list={PLANS} />}
        {tab === "subscriptions" && <ListTable list={SUBSCRIPTIONS} />}
        {tab === "cases" && <ListTable list={CASES} />}
        {tab === "coupons" && <ListTable list={COUPONS} />}
      </div>
      {opened === "plan" && <PlanDialog plan={null} onClose={close} />}
      {opened === "coupon" && plans.data && <CouponDialog plans={plans.data} onClose={close} />}
      {opened === "grant" && plans.data && <GrantDialog plans={plans.data} onClose={close} />}
    </>
  );
};
