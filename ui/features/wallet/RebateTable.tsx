import Redeem from "@mui/icons-material/RedeemOutlined";
import { useTranslation } from "react-i18next";
import type { RebateView } from "../../../src/domain/wallet/invitations/list-rebates.ts";
import type { Column } from "../../components/data-table/column.ts";
import { PagedTable, type PagedTableProps } from "../../components/data-table/PagedTable.tsx";
import { Money } from "../../components/display/Money.tsx";
import { TimeAgo } from "../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";

/** Earnings from others' top-ups; `read` returns all of them, or only dividends. */
export const RebateTable = ({ name, read }: Pick<PagedTableProps<RebateView>, "name" | "read">) => {
  const { t } = useTranslation();
  const columns: Column<RebateView>[] = [
    {
      key: "from",
      head: t("wallet.rebates.from"),
      isTitle: true,
      cell: (rebate) => rebate.from || t("wallet.rebates.deleted"),
    },
    {
      key: "kind",
      sortKey: "kind",
      head: t("wallet.rebates.kind"),
      width: 130,
      cell: (rebate) => (rebate.kind === "dividend" ? t("wallet.rebates.dividend") : t("wallet.rebates.cashback")),
    },
    {
      key: "time",
      sortKey: "created_time",
      head: t("wallet.rebates.time"),
      width: 140,
      cell: (rebate) => <TimeAgo seconds={rebate.created_time} />,
    },
    {
      key: "recharge",
      sortKey: "recharge_quota",
      head: t("wallet.rebates.recharge"),
      width: 130,
      align: "right",
      cell: (rebate) => <Money quota={rebate.recharge_quota} />,
    },
    {
      key: "rate",
      sortKey: "rate",
      head: t("wallet.rebates.rate"),
      width: 90,
      align: "right",
      cell: (rebate) => `${Number(rebate.rate)}%`,
    },
    {
      key: "quota",
      sortKey: "quota",
      head: t("wallet.rebates.quota"),
      width: 130,
      align: "right",
      cell: (rebate) => <Money quota={rebate.quota} strong />,
    },
  ];
  return (
    <PagedTable<RebateView>
      name={name}
      read={read}
      defaultSort="created_time"
      columns={columns}
      rowId={(rebate) => rebate.id}
      rowName={(rebate) => rebate.from}
      unit={t("wallet.rebates.unit")}
      empty={
        <EmptyState icon={<Redeem />} title={t("wallet.rebates.emptyTitle")} body={t("wallet.rebates.emptyBody")} />
      }
    />
  );
};
