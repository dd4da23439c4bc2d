import Warning from "@mui/icons-material/ErrorOutlineOutlined";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { useTranslation } from "react-i18next";
import type { ChannelHealth } from "../../../../src/domain/channels/status/channel-health.ts";
import { StatusChip, ToneBadge, type ToneName } from "../../../components/display/StatusChip.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatCurrency } from "../../../lib/format/money.ts";
import { formatFixed } from "../../../lib/format/number.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { isAdmin } from "../../../state/stored-user.ts";
import { LastsDays } from "../../alerts/Lasts.tsx";
import { type Channel, DISABLED, ENABLED, otherInfoOf } from "../channel.ts";

/** Enabled (healthy or not), disabled by hand, or auto-disabled; with reason and time in the tooltip. */
export const ChannelStatus = ({ channel }: { channel: Channel }) => {
  const { t, i18n } = useTranslation();
  if (channel.status === ENABLED) {
    if (channel.no_traffic) {
      return (
        <StatusChip tone="idle" reason={t("channels.status.noTrafficHint")}>
          {t("channels.status.noTraffic")}
        </StatusChip>
      );
    }
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

/** Why and when the channel was disabled, in one line. */
export function reasonOf(channel: Channel, unknown: string, language: string): string {
  const { status_time: time } = otherInfoOf(channel);
  return [channel.disabled_reason || unknown, time ? exactTime(time, language) : ""].filter(Boolean).join(" · ");
}

const TONES: Readonly<Record<ChannelHealth, ToneName>> = {
  healthy: "ok",
  cooling: "warn",
  failing: "bad",
  disabled: "idle",
};

/** A channel's current health, by color and by word. */
export const HealthChip = ({ health }: { health: ChannelHealth }) => {
  const { t } = useTranslation();
  return (
    <StatusChip tone={TONES[health]} reason={t(`channels.health.why.${health}`)}>
      {t(`channels.health.${health}`)}
    </StatusChip>
  );
};

type ModelsChangedProps = Readonly<{ channel: Channel; onCompare: (channel: Channel) => void }>;

/** Says that the upstream's models differ from the channel's, and opens the comparison. */
export const ModelsChanged = ({ channel, onCompare }: ModelsChangedProps) => {
  const { t } = useTranslation();
  const { added = 0, removed = 0 } = channel.models_changed ?? {};
  if (added + removed === 0) return null;
  const label = t("channels.modelList.changed", { added, removed });
  return (
    <Tip title={label}>
      <ButtonBase
        aria-label={`${channel.name}: ${label}`}
        onClick={(event) => {
          event.stopPropagation();
          onCompare(channel);
        }}
        className="num"
        sx={{
          flex: "none",
          height: 18,
          px: 1.25,
          borderRadius: "5px",
          fontSize: 11.5,
          color: "tone.info.text",
          bgcolor: "tone.info.tint",
        }}
      >
        {[added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(" ")}
      </ButtonBase>
    </Tip>
  );
};

/** Response time of the last test. */
export const ResponseCell = ({ channel }: { channel: Channel }) => {
  const { t, i18n } = useTranslation();
  const tone = responseTone(channel.response_time);
  if (tone === "untested") {
    return (
      <Box component="span" sx={{ color: "text.tertiary", fontSize: 12.5 }}>
        {t("channels.untested")}
      </Box>
    );
  }
  return (
    <Tip title={channel.test_time ? t("channels.testedAt", { time: exactTime(channel.test_time, i18n.language) }) : ""}>
      <span>
        <ToneBadge tone={tone}>{formatDuration(channel.response_time)}</ToneBadge>
      </span>
    </Tip>
  );
};

type ResponseTone = "untested" | "ok" | "lime" | "warn" | "bad";

/** Color of a response time in milliseconds: up to 1 s green, 3 s lime, 5 s yellow, above red; 0 untested. */
export function responseTone(responseMs: number): ResponseTone {
  if (responseMs <= 0) return "untested";
  if (responseMs <= 1000) return "ok";
  if (responseMs <= 3000) return "lime";
  if (responseMs <= 5000) return "warn";
  return "bad";
}

const LOW_BALANCE = () => ({ scope: "site", event: "channel_balance_low" }) as const;

type BalanceCellProps = Readonly<{
  channel: Channel /** Days until it runs out; undefined: unknown. */;
  days: number | undefined;
}>;

/** The balance reported by the provider, when, and how long it lasts; a dash if it was never fetched. */
export const BalanceCell = ({ channel, days }: BalanceCellProps) => {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const { balance_updated_time: time, balance_error: error, balance_low: isLow } = channel;
  const facts = [
    time ? t("channels.balanceAt", { time: exactTime(time, i18n.language) }) : t("channels.balanceNever"),
    error !== "" && t("channels.balanceFailed", { reason: error }),
  ];
  return (
    <Tip title={facts.filter(Boolean).join(" · ")}>
      <span>
        <Row gap={1} sx={{ justifyContent: "flex-end" }}>
          {error !== "" && (
            <Warning
              titleAccess={t("channels.balanceFailed", { reason: error })}
              sx={{ fontSize: 15, color: "tone.warn.text" }}
            />
          )}
          <Box sx={{ lineHeight: "16px" }}>
            <Box
              className="num"
              sx={{
                color: time ? (isLow ? "tone.bad.text" : undefined) : "text.tertiary",
                fontWeight: isLow ? 550 : undefined,
              }}
            >
              {time ? balanceText(channel, i18n.language) : "–"}
            </Box>
            {days !== undefined && <LastsDays days={days} alert={isAdmin(user) ? LOW_BALANCE : null} />}
          </Box>
        </Row>
      </span>
    </Tip>
  );
};

/** A balance in its own currency; dollars if the provider doesn't name one. */
export const balanceText = (
  { balance, balance_currency: currency }: Pick<Channel, "balance" | "balance_currency">,
  language: string,
): string => {
  try {
    return formatCurrency(balance, currency || "USD", language);
  } catch {
    // Not an ISO code: shown as the provider writes it.
    return `${formatFixed(balance, 2)} ${currency}`;
  }
};
