import Done from "@mui/icons-material/TaskAltOutlined";
import { useTranslation } from "react-i18next";
import type { PaymentCase } from "../../../../src/domain/wallet/payments/cases.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { moneyText } from "../../../lib/format/money.ts";
import { closeCase } from "./plan-calls.ts";

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
export const CASES: ResourceList<PaymentCase> = {
  text: (name) => `plans.cases.${name}`,
  icon: Done,
  rows: {
    key: [...WALLET_KEY, "payment-cases"],
    read: ({ p, page_size }, signal) =>
      readData(planApi.payment_case.get({ query: { p, page_size }, fetch: { signal } })),
  },
  rowId: ({ id }) => id,
  rowName: ({ reference }) => reference,
  unit: "plans.cases.unit",
  columns: [
    {
      key: "kind",
      kind: "text",
      head: "plans.cases.kind",
      isTitle: true,
      of: ({ kind }, { t }) => t(`plans.cases.kinds.${KINDS.find((known) => known === kind) ?? "late"}`),
    },
    {
      key: "user",
      kind: "text",
      head: "wallet.allOrders.user",
      width: 140,
      of: ({ username, user_id: id }) => username ?? (id === null ? null : `#${id}`),
    },
    {
      key: "money",
      kind: "text",
      head: "plans.cases.money",
      width: 120,
      align: "right",
      of: ({ money, currency }, { language }) => moneyText(money, currency, language),
    },
    { key: "reference", kind: "code", head: "plans.cases.reference", width: 260 },
    { key: "time", kind: "time", head: "wallet.orders.time", width: 140, of: "created_at" },
  ],
  actions: [
    {
      name: "close",
      icon: Done,
      needs: "billing:act",
      open: (report, close) => <CloseDialog report={report} onClose={close} />,
    },
  ],
  empty: { title: "plans.cases.noneTitle", body: "plans.cases.noneBody" },
};
