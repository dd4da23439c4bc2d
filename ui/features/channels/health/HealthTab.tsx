import Bolt from "@mui/icons-material/BoltOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Switch from "@mui/material/Switch";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { StatusChip, ToneBadge } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { FormSkeleton } from "../cells/FormSkeleton.tsx";
import { HealthChip } from "../cells/status-cells.tsx";
import { HourBars, successText } from "../cells/traffic-cells.tsx";
import { AUTO_DISABLED, ENABLED } from "../channel.ts";
import type { TestOutcome } from "../channel-calls.ts";
import { type ChannelKey, channelHealth, switchKey, testKey } from "./health-queries.ts";

/** The current health of a channel and each of its keys. */
export const HealthTab = ({ channelId }: { channelId: number }) => {
  const { t } = useTranslation();
  const health = useQuery(channelHealth(channelId));
  if (!health.data) {
    return health.isError ? <ErrorState error={health.error} onRetry={() => health.refetch()} /> : <FormSkeleton />;
  }
  const { calls, failed, latency_ms: latency, in_flight: inFlight, slots, keys } = health.data;
  const figures = [
    ["success", calls === 0 ? "–" : successText(((calls - failed) / calls) * 100)],
    ["latency", formatDuration(latency)],
    ["calls", formatNumber(calls)],
    ["inFlight", formatNumber(inFlight)],
  ] as const;
  return (
    <>
      <Section title={t("channels.health.title")} hint={t("channels.health.hint")}>
        <Row gap={6} wrap sx={{ alignItems: "flex-end" }}>
          <HealthChip health={health.data.health} />
          <HourBars hours={slots} label={t("channels.health.hour", { count: calls, failed, inFlight })} height={32} />
          <Row gap={6}>
            {figures.map(([name, value]) => (
              <Col key={name} gap={0.5}>
                <Box sx={{ fontSize: 11.5, color: "text.tertiary" }}>{t(`channels.health.figures.${name}`)}</Box>
                <Box className="num" sx={{ fontSize: 14, fontWeight: 560 }}>
                  {value}
                </Box>
              </Col>
            ))}
          </Row>
        </Row>
      </Section>
      <Section title={t("channels.form.keys")} hint={t("channels.health.keysHint")}>
        <Box
          component="ul"
          sx={{ m: 0, p: 0, listStyle: "none", border: "1px solid", borderColor: "line.main", borderRadius: 1 }}
        >
          {keys.map((key) => (
            <KeyHealth key={key.id} channelId={channelId} channelKey={key} />
          ))}
        </Box>
      </Section>
    </>
  );
};

/** One key: its status and reason, its last hour, and a test of this key alone. */
const KeyHealth = ({ channelId, channelKey }: { channelId: number; channelKey: ChannelKey }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isSwitching, setSwitching] = useState(false);
  const [outcome, setOutcome] = useState<TestOutcome | "running" | null>(null);
  const { id, masked, index, status, calls, failed } = channelKey;
  const isOn = status === ENABLED;
  const name = t("channels.health.keyName", { number: index + 1, key: masked });

  const toggle = async () => {
    setSwitching(true);
    try {
      await switchKey(channelId, id, !isOn);
      notifyDone(t(isOn ? "channels.disabledToast" : "channels.enabledToast", { name }));
      await client.invalidateQueries({ queryKey: CHANNELS_KEY });
    } catch (error) {
      notifyError(error);
    }
    setSwitching(false);
  };
  const test = async () => {
    setOutcome("running");
    try {
      setOutcome(await testKey(channelId, id));
    } catch (error) {
      setOutcome(null);
      notifyError(error);
    }
  };
  return (
    <Box component="li" sx={{ p: 3, "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}>
      <Row gap={3} wrap>
        <Switch
          checked={isOn}
          disabled={isSwitching}
          onChange={toggle}
          slotProps={{ input: { "aria-label": t("channels.toggle", { name }) } }}
        />
        <Box component="span" className="num" sx={{ color: "text.tertiary", fontSize: 12.5 }}>
          {index + 1}
        </Box>
        <code>{masked}</code>
        <KeyState channelKey={channelKey} />
        <Box sx={{ flex: 1 }} />
        <Button
          size="small"
          variant="text"
          startIcon={<Bolt />}
          loading={outcome === "running"}
          loadingPosition="start"
          aria-label={t("channels.health.testKey", { name })}
          onClick={test}
        >
          {t("channels.test.action")}
        </Button>
      </Row>
      <Row gap={4} wrap sx={{ mt: 1, fontSize: 12.5, color: "text.secondary" }}>
        <span className="num">
          {calls === 0
            ? t("channels.health.noCalls")
            : t("channels.health.keyHour", {
                success: successText(((calls - failed) / calls) * 100),
                count: calls,
                latency: formatDuration(channelKey.latency_ms),
              })}
        </span>
        {channelKey.in_flight > 0 && (
          <span className="num">{t("channels.health.underWay", { count: channelKey.in_flight })}</span>
        )}
        {channelKey.status_time > 0 && (
          <span>
            {t("channels.health.since")} <TimeAgo seconds={channelKey.status_time} />
          </span>
        )}
        {channelKey.probed_time > 0 && (
          <span>
            {t("channels.health.probed")} <TimeAgo seconds={channelKey.probed_time} />
          </span>
        )}
      </Row>
      {channelKey.reason !== "" && (
        <Box sx={{ mt: 1, fontSize: 12.5, color: "tone.bad.text", overflowWrap: "anywhere" }}>{channelKey.reason}</Box>
      )}
      <Box aria-live="polite" sx={{ fontSize: 12.5 }}>
        {outcome !== null && outcome !== "running" && (
          <Row gap={2} sx={{ mt: 2 }}>
            <ToneBadge tone={outcome.success ? "ok" : "bad"}>{formatDuration(outcome.time * 1000)}</ToneBadge>
            <Box sx={{ overflowWrap: "anywhere" }}>
              {outcome.success
                ? t("channels.test.success", { time: formatDuration(outcome.time * 1000) })
                : outcome.message}
            </Box>
          </Row>
        )}
      </Box>
    </Box>
  );
};

const KeyState = ({ channelKey: { status, cooling_until: until, failures } }: { channelKey: ChannelKey }) => {
  const { t } = useTranslation();
  if (status === AUTO_DISABLED) return <StatusChip tone="bad">{t("channels.status.autoDisabled")}</StatusChip>;
  if (status !== ENABLED) return <StatusChip tone="idle">{t("channels.status.disabled")}</StatusChip>;
  if (until !== null) {
    const seconds = Math.max(Math.ceil(until - Date.now() / 1000), 0);
    return <StatusChip tone="warn">{t("channels.health.rests", { seconds })}</StatusChip>;
  }
  if (failures > 0) return <StatusChip tone="warn">{t("channels.health.failedLast", { count: failures })}</StatusChip>;
  return (
    <StatusChip tone="ok" quiet>
      {t("channels.health.healthy")}
    </StatusChip>
  );
};
