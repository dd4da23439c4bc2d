import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";

/** A correction in the account's favor is a credit note, as is the document of a payment that was paid back. */
export const kindOf = ({ kind, closing }: Readonly<{ kind: string; closing: number }>) => {
  if (kind === "statement") return "statement";
  return kind === "credit_note" || closing > 0 ? "creditNote" : "supplement";
};

export const STATEMENT_NUMBER: ListColumn<ListedStatement> = {
  key: "number",
  head: "wallet.statements.number",
  isTitle: true,
  width: 130,
  cell: ({ number }) => <span className="mono">{number}</span>,
};

/** The other columns of issued documents, for users and administrators. */
export const STATEMENT_COLUMNS: readonly ListColumn<ListedStatement>[] = [
  { key: "month", kind: "text", head: "wallet.statements.month", sortKey: "month", width: 100 },
  {
    key: "kind",
    kind: "status",
    head: "wallet.statements.kind",
    width: 150,
    of: (row) => ({
      tone: row.kind === "statement" ? "idle" : "warn",
      quiet: row.kind === "statement",
      text: `wallet.statements.kinds.${kindOf(row)}`,
    }),
  },
  balance("opening"),
  { key: "credited", kind: "money", head: "wallet.statements.credited", width: 120 },
  { key: "charged", kind: "money", head: "wallet.statements.usage", sortKey: "charged", width: 120 },
  { ...balance("closing"), sortKey: "closing" },
  { key: "issued", kind: "time", head: "wallet.statements.issued", of: "issued_at", sortKey: "id", width: 120 },
];

/** Only statements have balances. */
function balance(key: "opening" | "closing"): ListColumn<ListedStatement> {
  const of = (row: ListedStatement) => (row.kind === "statement" ? row[key] : null);
  return { key, kind: "money", head: `wallet.statements.${key}`, width: 130, of };
}
