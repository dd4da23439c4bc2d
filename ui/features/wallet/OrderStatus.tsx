import { useTranslation } from "react-i18next";
import { StatusChip, type ToneName } from "../../components/StatusChip.tsx";

export const ORDER_STATUSES = ["pending", "success", "expired", "failed"] as const;
type Status = (typeof ORDER_STATUSES)[number];

const TONES: Readonly<Record<Status, ToneName>> = { pending: "warn", success: "ok", expired: "idle", failed: "bad" };

/** What became of an order. */
export const OrderStatus = ({ status: given }: { status: string }) => {
  const { t } = useTranslation();
  const status = ORDER_STATUSES.find((known) => known === given) ?? "pending";
  return (
    <StatusChip tone={TONES[status]} quiet={status === "success"}>
      {t(`wallet.statuses.${status}`)}
    </StatusChip>
  );
};
