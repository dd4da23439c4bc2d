import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { StatementDrawer } from "./StatementDrawer.tsx";
import { STATEMENT_COLUMNS, STATEMENT_NUMBER } from "./statement-columns.tsx";

const MONTHS_OFFERED = 24;

const queryOf = ({ text }: FilterValues) => ({ keyword: text("search"), month: text("month") });

/** All accounts' issued documents. */
export const STATEMENTS: ResourceList<ListedStatement, ReturnType<typeof queryOf>> = {
  text: (name) => `wallet.allStatements.${name}`,
  icon: Receipt,
  rows: {
    key: [...WALLET_KEY, "all-statements"],
    read: (query, signal) => readData(statementApi.statements.get({ query, fetch: { signal } })),
    defaultSort: "id",
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ number }) => number,
  unit: "wallet.statements.unit",
  columns: [
    STATEMENT_NUMBER,
    { key: "user", kind: "text", head: "wallet.allOrders.user", of: "username", sortKey: "username", width: 130 },
    ...STATEMENT_COLUMNS,
  ],
  search: "wallet.allStatements.search",
  filters: [
    {
      key: "month",
      head: "wallet.statements.month",
      options: () => lastMonths(MONTHS_OFFERED).map((month) => ({ value: month, label: month })),
    },
  ],
  onRow: { open: ({ id }, close) => <StatementDrawer target={{ scope: "all", id }} onClose={close} /> },
  empty: { title: "wallet.statements.emptyTitle", body: "wallet.allStatements.emptyBody" },
};

export const StatementListPage = () => (
  <ListPage list={STATEMENTS} header={<SettingLink tab="system" field="statements" />} />
);

/** The present month and those before it (UTC), newest first. */
function lastMonths(count: number): string[] {
  const now = new Date();
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}
