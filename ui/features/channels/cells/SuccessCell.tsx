import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { HourBars } from "../../../components/HourBars.tsx";
import { Row } from "../../../components/layout.tsx";
import type { Channel } from "../channel.ts";
import { successText, sumTraffic } from "../traffic.ts";

const GOOD = 99;
const FAIR = 95;
const IDLE_DAY = Array.from({ length: 24 }, () => ({ count: 0, failed: 0 }));

/** The last 24 hours: traffic as bars, the share that succeeded as a figure. */
export const SuccessCell = ({ traffic }: Pick<Channel, "traffic">) => {
  const { t } = useTranslation();
  const { count, failed, success } = sumTraffic(traffic ?? IDLE_DAY);
  const label = success === null ? t("channels.noCalls") : t("channels.callsFailed", { count, failed });
  return (
    <Tooltip title={label}>
      <span>
        <Row gap={2}>
          <HourBars hours={traffic ?? IDLE_DAY} label={label} />
          <Box
            className="num"
            sx={{
              fontSize: 12.5,
              width: 52,
              textAlign: "right",
              color: colourOf(success),
              fontWeight: success !== null && success < GOOD ? 600 : 450,
            }}
          >
            {success === null ? "–" : successText(success)}
          </Box>
        </Row>
      </span>
    </Tooltip>
  );
};

function colourOf(success: number | null): string {
  if (success === null) return "text.tertiary";
  if (success < FAIR) return "tone.bad.text";
  return success < GOOD ? "tone.warn.text" : "text.primary";
}
