import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import type { LiveView } from "../../../../src/domain/channels/channel-view.ts";
import { HourBars } from "../../../components/HourBars.tsx";
import { Row } from "../../../components/layout.tsx";
import { latencyText, successText } from "../traffic.ts";

/** The last hour: traffic as bars of five minutes, the share that succeeded, how long answers took. */
export const HourCell = ({ live }: { live: LiveView | undefined }) => {
  const { t } = useTranslation();
  if (!live) return null;
  const { calls, failed, latency_ms: latency, in_flight: inFlight, slots } = live;
  const label =
    calls === 0
      ? t("channels.health.quiet", { inFlight })
      : t("channels.health.hour", { count: calls, failed, inFlight });
  return (
    <Tooltip title={label}>
      <span>
        <Row gap={2}>
          <HourBars hours={slots} label={label} />
          <Box className="num" sx={{ fontSize: 12.5, color: calls ? "text.primary" : "text.tertiary" }}>
            {calls === 0 ? "–" : [successText(((calls - failed) / calls) * 100), latencyText(latency)].join(" · ")}
          </Box>
        </Row>
      </span>
    </Tooltip>
  );
};
