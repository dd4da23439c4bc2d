import CardMembership from "@mui/icons-material/CardMembershipOutlined";
import Delete from "@mui/icons-material/DeleteOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { periodText } from "./period-text.ts";
import { retirePlan } from "./plan-calls.ts";

type PlanTableProps = Readonly<{
  plans: UseQueryResult<Plan[]>;
  /** Null: the reader may not change plans. */
  onEdit: ((plan: Plan) => void) | null;
}>;

/** Every plan that is not retired. */
export const PlanTable = ({ plans, onEdit }: PlanTableProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries({ queryKey: WALLET_KEY }));
  const retire = ({ id, name }: Plan) =>
    act({
      question: {
        title: t("plans.retireTitle", { name }),
        body: t("plans.retireBody"),
        action: t("plans.retire"),
        isDangerous: true,
      },
      work: () => retirePlan(id),
      done: () => t("plans.retired"),
    });
  const columns: Column<Plan>[] = [
    { key: "name", head: t("plans.plan"), isTitle: true, cell: (plan) => plan.name },
    {
      key: "price",
      head: t("plans.form.price"),
      width: 120,
      align: "right",
      cell: (plan) => <Money quota={plan.price} />,
    },
    {
      key: "period",
      head: t("plans.form.period"),
      width: 140,
      cell: (plan) => periodText(plan, t),
    },
    {
      key: "quota",
      head: t("plans.form.windowQuota"),
      width: 130,
      align: "right",
      cell: (plan) => (plan.windowQuota > 0 || plan.windowCalls === 0 ? <Money quota={plan.windowQuota} /> : "–"),
    },
    {
      key: "calls",
      head: t("plans.form.windowCalls"),
      width: 120,
      align: "right",
      cell: (plan) => (plan.windowCalls > 0 ? formatNumber(plan.windowCalls) : "–"),
    },
    { key: "window", head: t("plans.form.window"), width: 200, cell: (plan) => t(`plans.windows.${plan.window}`) },
    {
      key: "seats",
      head: t("plans.form.seats"),
      width: 90,
      align: "right",
      cell: (plan) => plan.seats ?? "∞",
    },
    {
      key: "trial",
      head: t("plans.form.trialDays"),
      width: 110,
      align: "right",
      cell: (plan) => plan.trialDays || "–",
    },
    { key: "group", head: t("plans.form.group"), width: 120, cell: (plan) => plan.userGroup || "–" },
    {
      key: "visible",
      head: t("plans.status"),
      width: 110,
      isSolid: true,
      cell: (plan) => (
        <StatusChip tone={plan.isVisible ? "ok" : "idle"} quiet>
          {t(plan.isVisible ? "plans.offered" : "plans.hidden")}
        </StatusChip>
      ),
    },
  ];
  const model = useDataTable({
    columns,
    rows: plans.data,
    rowId: (plan) => plan.id,
    rowName: (plan) => plan.name,
    ...(onEdit && {
      actions: (plan: Plan) => [
        { label: t("plans.form.edit", { name: plan.name }), icon: <Edit />, onSelect: () => onEdit(plan) },
        { label: t("plans.retire"), icon: <Delete />, onSelect: () => void retire(plan), isDangerous: true },
      ],
    }),
  });
  return (
    <DataTable
      model={model}
      error={plans.error}
      onRetry={() => void plans.refetch()}
      {...(onEdit && { onOpen: onEdit })}
      empty={<EmptyState icon={<CardMembership />} title={t("plans.noneTitle")} body={t("plans.noneBody")} />}
    />
  );
};
