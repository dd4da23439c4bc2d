import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { ToneBadge } from "../../../components/StatusChip.tsx";
import { exactTime } from "../../../components/TimeAgo.tsx";
import type { Channel } from "../channel.ts";
import { responseTone } from "../response-tone.ts";

/** How fast the last test was answered. */
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
    <Tooltip
      title={channel.test_time ? t("channels.testedAt", { time: exactTime(channel.test_time, i18n.language) }) : ""}
    >
      <span>
        <ToneBadge tone={tone}>{(channel.response_time / 1000).toFixed(2)} s</ToneBadge>
      </span>
    </Tooltip>
  );
};
