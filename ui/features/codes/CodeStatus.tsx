import { useTranslation } from "react-i18next";
import { StatusChip } from "../../components/StatusChip.tsx";
import { type Code, DISABLED, isSpent, UNUSED, windowState } from "./code.ts";

/** Whether a code can be redeemed, and if not, why. */
export const CodeStatus = ({ code }: { code: Code }) => {
  const { t } = useTranslation();
  if (code.status === DISABLED) return <StatusChip tone="bad">{t("codes.status.disabled")}</StatusChip>;
  if (code.status !== UNUSED || isSpent(code))
    return <StatusChip tone="idle">{t(code.is_gift ? "codes.status.usedUp" : "codes.status.used")}</StatusChip>;
  const state = windowState(code, Date.now() / 1000);
  if (state !== "open") return <StatusChip tone="warn">{t(`codes.status.${state}`)}</StatusChip>;
  return (
    <StatusChip tone="ok" quiet>
      {t("codes.status.unused")}
    </StatusChip>
  );
};
