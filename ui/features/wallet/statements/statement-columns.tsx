import type { TFunction } from "i18next";
import type { ListedStatement } from "../../../../src/domain/wallet/statements/documents.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";

/** A correction in the account's favor is a credit note, as is the document of a payment that was paid back. */
export const kindOf = ({ kind, closing }: Readonly<{ kind: string; closing: number }>) => {
  if (kind === "statement") return "statement";
  return kind === "credit_note" || closing > 0 ? "creditNote" : "supplement";
};

/** The columns of issued documents, for users and administrators. */
export const statementColumns = (t: TFunction): Column<ListedStatement>[] => [
  {
    key: "number",
    head: t("wallet.statements.number"),
    isTitle: true,
    width: 130,
    cell: (row) => <span className="mono">{row.number}</span>,
  },
  { key: "month", head: t("wallet.statements.month"), sortKey: "month", width: 100, cell: (row) => row.month },
  {
    key: "kind",
    head: t("wallet.statements.kind"),
    width: 150,
    isSolid: true,
    cell: (row) => (
      <StatusChip tone={row.kind === "statement" ? "idle" : "warn"} quiet={row.kind === "statement"}>
        {t(`wallet.statements.kinds.${kindOf(row)}`)}
      </StatusChip>
    ),
  },
  {
    key: "opening",
    head: t("wallet.statements.opening"),
    width: 130,
    align: "right",
    cell: (row) => (row.kind === "statement" ? <Money quota={row.opening} /> : "–"),
  },
  {
    key: "credited",
    head: t("wallet.statements.credited"),
    width: 120,
    align: "right",
    cell: (row) => <Money quota={row.credited} />,
  },
  {
    key: "charged",
    head: t("wallet.statements.usage"),
    sortKey: "charged",
    width: 120,
    align: "right",
    cell: (row) => <Money quota={row.charged} />,
  },
  {
    key: "closing",
    head: t("wallet.statements.closing"),
    sortKey: "closing",
    width: 130,
    align: "right",
    cell: (row) => (row.kind === "statement" ? <Money quota={row.closing} /> : "–"),
  },
  {
    key: "issued",
    head: t("wallet.statements.issued"),
    sortKey: "id",
    width: 120,
    cell: (row) => <TimeAgo seconds={row.issued_at} />,
  },
];
