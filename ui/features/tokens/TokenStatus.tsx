import { useTranslation } from "react-i18next";
import { StatusChip } from "../../components/StatusChip.tsx";
import { DISABLED, EXHAUSTED, EXPIRED, effectiveStatus, type Token } from "./token.ts";

/** Whether the key works, and if not, why. */
export const TokenStatus = ({ token }: { token: Token }) => {
  const { t } = useTranslation();
  switch (effectiveStatus(token, Date.now() / 1000)) {
    case DISABLED:
      return <StatusChip tone="idle">{t("tokens.status.disabled")}</StatusChip>;
    case EXPIRED:
      return (
        <StatusChip tone="warn" reason={t("tokens.reason.expired")}>
          {t("tokens.status.expired")}
        </StatusChip>
      );
    case EXHAUSTED:
      return (
        <StatusChip tone="bad" reason={t("tokens.reason.exhausted")}>
          {t("tokens.status.exhausted")}
        </StatusChip>
      );
    default:
      return (
        <StatusChip tone="ok" quiet>
          {token.model_limits_enabled ? t("tokens.status.limited") : t("tokens.status.enabled")}
        </StatusChip>
      );
  }
};
