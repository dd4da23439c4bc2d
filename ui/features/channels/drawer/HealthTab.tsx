import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/ErrorState.tsx";
import { HourBars } from "../../../components/HourBars.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { Section } from "../../../components/SideDrawer.tsx";
import { HealthChip } from "../cells/HealthChip.tsx";
import { channelHealth } from "../health-queries.ts";
import { latencyText, successText } from "../traffic.ts";
import { FormSkeleton } from "./FormSkeleton.tsx";
import { KeyHealth } from "./KeyHealth.tsx";

/** How a channel does right now, and each of its keys. */
export const HealthTab = ({ channelId }: { channelId: number }) => {
  const { t } = useTranslation();
  const health = useQuery(channelHealth(channelId));
  if (!health.data) {
    return health.isError ? <ErrorState error={health.error} onRetry={() => health.refetch()} /> : <FormSkeleton />;
  }
  const { calls, failed, latency_ms: latency, in_flight: inFlight, slots, keys } = health.data;
  const figures = [
    ["success", calls === 0 ? "–" : successText(((calls - failed) / calls) * 100)],
    ["latency", latencyText(latency)],
    ["calls", calls.toLocaleString("en")],
    ["inFlight", inFlight.toLocaleString("en")],
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
