import Delete from "@mui/icons-material/DeleteOutlined";
import LocalOffer from "@mui/icons-material/LocalOfferOutlined";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CouponView } from "../../../../src/domain/wallet/plans/coupons.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { retireCoupon } from "./plan-calls.ts";

/** Coupons that can be used. */
export const CouponTable = () => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries({ queryKey: WALLET_KEY }));
  const retire = ({ id, code }: CouponView) =>
    act({
      question: {
        title: t("plans.coupons.retireTitle", { code }),
        body: t("plans.coupons.retireBody"),
        action: t("plans.retire"),
        isDangerous: true,
      },
      work: () => retireCoupon(id),
      done: () => t("plans.coupons.retired"),
    });
  const columns: Column<CouponView>[] = [
    { key: "code", head: t("plans.coupons.code"), isTitle: true, cell: ({ code }) => <code>{code}</code> },
    {
      key: "off",
      head: t("plans.coupons.off"),
      width: 130,
      align: "right",
      cell: ({ percentOff, amountOff }) => (percentOff > 0 ? `${percentOff}%` : <Money quota={amountOff} />),
    },
    {
      key: "duration",
      head: t("plans.coupons.duration"),
      width: 160,
      cell: ({ duration }) => t(`plans.coupons.durations.${duration}`),
    },
    { key: "plan", head: t("plans.plan"), width: 160, cell: ({ planName }) => planName ?? t("plans.coupons.anyPlan") },
    {
      key: "uses",
      head: t("plans.coupons.uses"),
      width: 110,
      align: "right",
      cell: ({ usedCount, maxUses }) => `${usedCount} / ${maxUses || "∞"}`,
    },
    {
      key: "until",
      head: t("plans.coupons.validUntil"),
      width: 150,
      cell: ({ validUntil }) => (validUntil > 0 ? <TimeAgo seconds={validUntil} /> : "–"),
    },
  ];
  return (
    <PagedTable<CouponView>
      name="coupons"
      read={({ p, page_size }, signal) => readData(planApi.coupon.get({ query: { p, page_size }, fetch: { signal } }))}
      columns={columns}
      rowId={(row) => row.id}
      rowName={(row) => row.code}
      unit={t("plans.coupons.unit")}
      empty={
        <EmptyState icon={<LocalOffer />} title={t("plans.coupons.noneTitle")} body={t("plans.coupons.noneBody")} />
      }
      actions={(row) => [
        { label: t("plans.retire"), icon: <Delete />, onSelect: () => void retire(row), isDangerous: true },
      ]}
    />
  );
};
