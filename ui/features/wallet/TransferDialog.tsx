import { useTranslation } from "react-i18next";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { ResourceForm } from "../../components/form/ResourceForm.tsx";

type Props = {
  /** Quota units available for transfer. */
  available: number;
  transfer: (quota: number) => Promise<unknown>;
  /** The query to refetch besides the balance. */
  queryKey: readonly unknown[];
  onClose: () => void;
};

/** Transfers earnings to the balance; one dollar at least. */
export const TransferDialog = ({ available, transfer, queryKey, onClose }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const minimum = amountText(format.quotaPerUnit, format);
  const errorOf = (amount: number): string | undefined => {
    if (!Number.isInteger(amount) || amount < format.quotaPerUnit) return t("rewards.transfer.tooSmall", { minimum });
    return amount > available ? t("rewards.transfer.tooLarge") : undefined;
  };
  return (
    <ResourceForm
      as="dialog"
      title={t("rewards.transfer.title")}
      action={t("rewards.transfer.action")}
      isNew
      text={(name) => `rewards.transfer.${name}`}
      initial={{ quota: String(available) }}
      isComplete={({ quota }) => errorOf(Number(quota)) === undefined}
      rejectedField={() => "quota"}
      save={async ({ quota }) => {
        await transfer(Number(quota));
        return t("rewards.transfer.done");
      }}
      reload={[{ queryKey }, { queryKey: ["self"] }]}
      sections={({ quota }) => [
        {
          fields: [
            {
              kind: "quota",
              field: "quota",
              label: t("rewards.transfer.label"),
              hint: t("rewards.transfer.hint", { amount: amountText(available, format) }),
              error: errorOf(Number(quota)),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
