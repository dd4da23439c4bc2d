import { useTranslation } from "react-i18next";
import { StatusChip } from "../../../components/StatusChip.tsx";
import { exactTime } from "../../../components/TimeAgo.tsx";
import { type Channel, DISABLED, ENABLED, otherInfoOf } from "../channel.ts";
import { HealthChip } from "./HealthChip.tsx";

/** On (or on and in trouble), off by hand, or off by itself; with the reason and its time in the tooltip. */
export const ChannelStatus = ({ channel }: { channel: Channel }) => {
  const { t, i18n } = useTranslation();
  if (channel.status === ENABLED) {
    const health = channel.live?.health;
    if (health === "cooling" || health === "failing") return <HealthChip health={health} />;
    return (
      <StatusChip tone="ok" quiet>
        {t("channels.status.enabled")}
      </StatusChip>
    );
  }
  if (channel.status === DISABLED) {
    return (
      <StatusChip tone="idle" reason={channel.disabled_reason && reasonOf(channel, "", i18n.language)}>
        {t("channels.status.disabled")}
      </StatusChip>
    );
  }
  return (
    <StatusChip tone="bad" dot={false} reason={reasonOf(channel, t("channels.status.noReason"), i18n.language)}>
      {t("channels.status.autoDisabled")}
    </StatusChip>
  );
};

/** Why the channel went off, and when, in one line. */
export function reasonOf(channel: Channel, unknown: string, language: string): string {
  const { status_time: time } = otherInfoOf(channel);
  return [channel.disabled_reason || unknown, time ? exactTime(time, language) : ""].filter(Boolean).join(" · ");
}
