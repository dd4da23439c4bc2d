import { useTranslation } from "react-i18next";
import { StatusChip, type ToneName } from "../../components/StatusChip.tsx";

const TONES = {
  NOT_START: "idle",
  SUBMITTED: "info",
  QUEUED: "info",
  IN_PROGRESS: "info",
  MODAL: "warn",
  SUCCESS: "ok",
  FAILURE: "bad",
  UNKNOWN: "idle",
} as const satisfies Record<string, ToneName>;
type Known = keyof typeof TONES;
const isKnown = (status: string): status is Known => Object.hasOwn(TONES, status);

/** Where a task stands; an empty status is one that is still being submitted. */
export const TaskStatus = ({ status }: { status: string }) => {
  const { t } = useTranslation();
  if (status === "") return <StatusChip tone="info">{t("tasks.submitting")}</StatusChip>;
  if (!isKnown(status)) return <StatusChip tone="idle">{status}</StatusChip>;
  return <StatusChip tone={TONES[status]}>{t(`tasks.statuses.${status}`)}</StatusChip>;
};
