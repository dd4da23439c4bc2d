import { useTranslation } from "react-i18next";
import type { ChannelHealth } from "../../../../src/domain/channels/channel-health.ts";
import { StatusChip, type ToneName } from "../../../components/StatusChip.tsx";

const TONES: Readonly<Record<ChannelHealth, ToneName>> = {
  healthy: "ok",
  cooling: "warn",
  failing: "bad",
  disabled: "idle",
};

/** How a channel does at the moment, by colour and by word. */
export const HealthChip = ({ health }: { health: ChannelHealth }) => {
  const { t } = useTranslation();
  return (
    <StatusChip tone={TONES[health]} reason={t(`channels.health.why.${health}`)}>
      {t(`channels.health.${health}`)}
    </StatusChip>
  );
};
