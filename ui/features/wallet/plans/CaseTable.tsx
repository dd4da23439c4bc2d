import Done from "@mui/icons-material/TaskAltOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PaymentCase } from "../../../../src/domain/wallet/payments/cases.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { moneyText } from "../../../lib/format/money.ts";
import { closeCase } from "./plan-calls.ts";

const KINDS = [
  "refund",
  "refund_unclear",
  "dispute",
  "wrong_amount",
  "late",
  "duplicate",
  "same_period",
  "to_balance",
  "paid_again",
] as const;

/** Reports of payment services that wait for an administrator's decision. */
export const CaseTable = () => {
  const { t, i18n } = useTranslation();
  const [closing, setClosing] = useState<PaymentCase | null>(null);
  const columns: Column<PaymentCase>[] = [
    {
      key: "kind",
      head: t("plans.cases.kind"),
      isTitle: true,
      cell: ({ kind }) => t(`plans.cases.kinds.${KINDS.find((known) => known === kind) ?? "late"}`),
    },
    {
      key: "user",
      head: t("wallet.allOrders.user"),
      width: 140,
      cell: ({ username, user_id: id }) => username ?? (id === null ? "–" : `#${id}`),
    },
    {
      key: "money",
      head: t("plans.cases.money"),
      width: 120,
      align: "right",
      cell: ({ money, currency }) => moneyText(money, currency, i18n.language),
    },
    {
      key: "reference",
      head: t("plans.cases.reference"),
      width: 260,
      cell: ({ reference }) => <code>{reference}</code>,
    },
    {
      key: "time",
      head: t("wallet.orders.time"),
      width: 140,
      cell: ({ created_at: seconds }) => <TimeAgo seconds={seconds} />,
    },
  ];
  return (
    <>
      <PagedTable<PaymentCase>
        name="payment-cases"
        read={({ p, page_size }, signal) =>
          readData(planApi.payment_case.get({ query: { p, page_size }, fetch: { signal } }))
        }
        columns={columns}
        rowId={(row) => row.id}
        rowName={(row) => row.reference}
        unit={t("plans.cases.unit")}
        empty={<EmptyState icon={<Done />} title={t("plans.cases.noneTitle")} body={t("plans.cases.noneBody")} />}
        actions={(row) => [{ label: t("plans.cases.close"), icon: <Done />, onSelect: () => setClosing(row) }]}
      />
      {closing && <CloseDialog report={closing} onClose={() => setClosing(null)} />}
    </>
  );
};

const CloseDialog = ({ report, onClose }: { report: PaymentCase; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      as="dialog"
      title={t("plans.cases.closeTitle", { reference: report.reference })}
      action={t("plans.cases.close")}
      isNew
      text={(name) => `plans.cases.${name}`}
      initial={{ note: "" }}
      check={({ note }) => ({ note: note.trim() === "" ? "noteMissing" : undefined })}
      fault={(fault) => t(`plans.cases.${fault}`)}
      rejectedField={() => "note"}
      save={async ({ note }) => {
        await closeCase(report.id, note.trim());
        return t("plans.cases.closed");
      }}
      reload={[{ queryKey: WALLET_KEY }, { queryKey: ["payment-cases"] }]}
      sections={() => [
        { fields: [{ kind: "text", field: "note", hint: true, rows: 2, autoFocus: true, maxCharacters: 500 }] },
      ]}
      onClose={onClose}
    />
  );
};
