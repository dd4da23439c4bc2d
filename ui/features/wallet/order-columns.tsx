import type { TFunction } from "i18next";
import type { OwnOrder } from "../../../src/domain/wallet/orders/order-view.ts";
import type { Column } from "../../components/data-table/column.ts";
import { Money } from "../../components/Money.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { moneyText } from "./money-text.ts";
import { OrderStatus } from "./OrderStatus.tsx";

const METHODS = ["zfb", "wx", "stripe"] as const;

/** The columns of orders, whoever looks. */
export const orderColumns = <Row extends OwnOrder>(t: TFunction, language: string): Column<Row>[] => [
  {
    key: "trade_no",
    head: t("wallet.orders.number"),
    isTitle: true,
    cell: (order) => <span className="mono">{order.trade_no}</span>,
  },
  {
    key: "created",
    head: t("wallet.orders.time"),
    sortKey: "created_time",
    width: 130,
    cell: (order) => <TimeAgo seconds={order.created_time} />,
  },
  {
    key: "method",
    head: t("wallet.orders.method"),
    sortKey: "method",
    width: 120,
    cell: (order) => {
      const method = METHODS.find((known) => known === order.method);
      return method ? t(`wallet.methods.${method}`) : order.method;
    },
  },
  {
    key: "money",
    head: t("wallet.orders.money"),
    sortKey: "money",
    width: 120,
    align: "right",
    cell: (order) => moneyText(order.money, order.currency, language),
  },
  {
    key: "quota",
    head: t("wallet.orders.quota"),
    sortKey: "quota",
    width: 120,
    align: "right",
    cell: (order) => <Money quota={order.quota} />,
  },
  {
    key: "status",
    head: t("wallet.orders.status"),
    sortKey: "status",
    width: 130,
    isSolid: true,
    cell: (order) => <OrderStatus status={order.status} />,
  },
];
