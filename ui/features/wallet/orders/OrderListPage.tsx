import Done from "@mui/icons-material/DoneAllOutlined";
import Receipt from "@mui/icons-material/ReceiptOutlined";
import Undo from "@mui/icons-material/UndoOutlined";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AnyOrder } from "../../../../src/domain/wallet/orders/list-orders.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { paymentApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { moneyText } from "../../../lib/format/money.ts";
import { completeOrder, endRefund, refundOrder, useOfferedMethods } from "../wallet-calls.ts";
import { methodName } from "./method-name.ts";
import { ORDER_STATUSES, orderColumns } from "./order-columns.tsx";

const EPAY = ["zfb", "wx"] as const;
const REFUNDABLE = ["alipay", "wechat", "paypal", "stripe", ...EPAY, "manual"] as const;
type RefundMethod = (typeof REFUNDABLE)[number];

/** The service that can pay an order back; none for others. */
const refundable = ({ method }: AnyOrder): RefundMethod[] => REFUNDABLE.filter((known) => known === method);

/** An Epay service has not confirmed its refund, and is not asked twice. */
const isUnclear = ({ method, refund_started_time: begunAt, refunded_time: paidAt }: AnyOrder): boolean =>
  EPAY.some((known) => known === method) && begunAt > 0 && paidAt === 0;

const refundText = ({ plan_name: plan }: AnyOrder, method: RefundMethod) =>
  method === "manual"
    ? "wallet.allOrders.refundManualBody"
    : plan === null
      ? "wallet.allOrders.refundBody"
      : "wallet.allOrders.refundPlanBody";

/** All users' orders; administrators can complete those whose payment callback never arrived. */
export const OrderListPage = () => {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const offered = useOfferedMethods();
  const act = useAction(() => client.invalidateQueries({ queryKey: WALLET_KEY }));
  const complete = (order: AnyOrder) =>
    act({
      question: {
        title: t("wallet.allOrders.confirmTitle"),
        body: t("wallet.allOrders.confirmBody", { amount: amountText(order.quota, format), name: order.username }),
        action: t("wallet.allOrders.complete"),
        isDangerous: true,
      },
      work: () => completeOrder(order.trade_no),
      done: () => t("wallet.allOrders.done"),
    });
  const refund = (order: AnyOrder, method: RefundMethod) =>
    act({
      question: {
        title: t("wallet.allOrders.refundTitle"),
        body: t(refundText(order, method), {
          plan: order.plan_name ?? "",
          ...{ amount: amountText(order.quota, format), name: order.username },
          ...{ price: moneyText(order.money, order.currency, i18n.language), method: methodName(method, offered, t) },
        }),
        action: t("wallet.allOrders.refund"),
        isDangerous: true,
      },
      work: () => refundOrder(order.trade_no),
      done: ({ message }) => message,
    });
  const endUnclear = (order: AnyOrder, isPaidBack: boolean) =>
    act({
      question: {
        title: t(isPaidBack ? "wallet.allOrders.paidBack" : "wallet.allOrders.notPaidBack"),
        body: t(isPaidBack ? "wallet.allOrders.paidBackBody" : "wallet.allOrders.notPaidBackBody", {
          ...{ amount: amountText(order.quota, format), name: order.username },
          price: moneyText(order.money, order.currency, i18n.language),
        }),
        action: t(isPaidBack ? "wallet.allOrders.paidBack" : "wallet.allOrders.notPaidBack"),
        isDangerous: true,
      },
      work: () => endRefund(order.trade_no, isPaidBack),
      done: ({ message }) => message,
    });
  const filters = { keyword: address.text("search"), status: address.text("status") };
  const columns = orderColumns<AnyOrder>(t, i18n.language, offered);
  const user: Column<AnyOrder> = {
    key: "user",
    head: t("wallet.allOrders.user"),
    sortKey: "username",
    width: 130,
    cell: (order) => order.username,
  };
  return (
    <>
      <PageHeader
        title={t("wallet.allOrders.title")}
        purpose={t("wallet.allOrders.purpose")}
        actions={<DownloadButton request={() => requestDownload(paymentApi.topup.export, filters)} />}
      />
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("wallet.allOrders.search") }}
        filters={[
          {
            key: "status",
            label: t("wallet.orders.status"),
            value: address.text("status"),
            options: ORDER_STATUSES.map((status) => ({ value: status, label: t(`wallet.statuses.${status}`) })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value })}
        onClear={address.clear}
      />
      <PagedTable<AnyOrder>
        name="all-orders"
        read={(page, signal) => readData(paymentApi.topup.get({ query: { ...filters, ...page }, fetch: { signal } }))}
        filters={filters}
        defaultSort="created_time"
        columns={[...columns.slice(0, 1), user, ...columns.slice(1)]}
        rowId={(order) => order.id}
        rowName={(order) => order.trade_no}
        unit={t("wallet.orders.unit")}
        empty={
          <EmptyState icon={<Receipt />} title={t("wallet.orders.emptyTitle")} body={t("wallet.allOrders.emptyBody")} />
        }
        actions={(order) => [
          {
            label: t("wallet.allOrders.complete"),
            icon: <Done />,
            onSelect: () => void complete(order),
            isDisabled: order.status === "success",
          },
          ...refundable(order).map((method) => ({
            label: t("wallet.allOrders.refund"),
            icon: <Undo />,
            onSelect: () => void refund(order, method),
            isDisabled: order.status !== "success" || order.refund_started_time > 0,
          })),
          ...(isUnclear(order) ? [true, false] : []).map((isPaidBack) => ({
            label: t(isPaidBack ? "wallet.allOrders.paidBack" : "wallet.allOrders.notPaidBack"),
            icon: <Undo />,
            onSelect: () => void endUnclear(order, isPaidBack),
          })),
        ]}
      />
    </>
  );
};
