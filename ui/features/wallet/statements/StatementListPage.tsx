import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { StatementDrawer } from "./StatementDrawer.tsx";
import { statementColumns } from "./statement-columns.tsx";

const MONTHS_OFFERED = 24;

/** All accounts' issued documents. */
export const StatementListPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const [id, setId] = useState<number | null>(null);
  const filters = { keyword: address.text("search"), month: address.text("month") };
  const [number, ...columns] = statementColumns(t);
  return (
    <>
      <PageHeader
        title={t("wallet.allStatements.title")}
        purpose={t("wallet.allStatements.purpose")}
        actions={<SettingLink tab="system" field="statements" />}
      />
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("wallet.allStatements.search") }}
        filters={[
          {
            key: "month",
            label: t("wallet.statements.month"),
            value: address.text("month"),
            options: lastMonths(MONTHS_OFFERED).map((month) => ({ value: month, label: month })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value })}
        onClear={address.clear}
      />
      <PagedTable<ListedStatement>
        name="all-statements"
        read={(page, signal) =>
          readData(statementApi.statements.get({ query: { ...filters, ...page }, fetch: { signal } }))
        }
        filters={filters}
        defaultSort="id"
        columns={[
          ...(number ? [number] : []),
          {
            key: "user",
            head: t("wallet.allOrders.user"),
            sortKey: "username",
            width: 130,
            cell: (row) => row.username,
          },
          ...columns,
        ]}
        rowId={(row) => row.id}
        rowName={(row) => row.number}
        unit={t("wallet.statements.unit")}
        onOpen={(row) => setId(row.id)}
        empty={
          <EmptyState
            icon={<Receipt />}
            title={t("wallet.statements.emptyTitle")}
            body={t("wallet.allStatements.emptyBody")}
          />
        }
      />
      {id !== null && <StatementDrawer target={{ scope: "all", id }} onClose={() => setId(null)} />}
    </>
  );
};

/** The present month and those before it (UTC), newest first. */
function lastMonths(count: number): string[] {
  const now = new Date();
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}
