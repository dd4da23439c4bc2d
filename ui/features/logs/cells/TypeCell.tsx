import { useTranslation } from "react-i18next";
import { StatusChip, type ToneName } from "../../../components/StatusChip.tsx";
import { LOG_TYPES, type LogEntry } from "../log-entry.ts";

const KINDS: ReadonlyMap<number, readonly [string, ToneName]> = new Map([
  [LOG_TYPES.topUp, ["topUp", "info"]],
  [LOG_TYPES.manage, ["manage", "idle"]],
  [LOG_TYPES.system, ["system", "idle"]],
  [LOG_TYPES.checkIn, ["checkIn", "ok"]],
]);

/** What kind of row it is; a call that failed says so. */
export const TypeCell = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  if (entry.failed) return <StatusChip tone="bad">{t("logs.types.failed")}</StatusChip>;
  const kind = KINDS.get(entry.type);
  if (!kind) {
    return (
      <StatusChip tone="idle" quiet dot={false}>
        {t("logs.types.consume")}
      </StatusChip>
    );
  }
  const [name, tone] = kind;
  return (
    <StatusChip tone={tone} dot={false} quiet={tone === "idle"}>
      {t(`logs.types.${name}`)}
    </StatusChip>
  );
};
