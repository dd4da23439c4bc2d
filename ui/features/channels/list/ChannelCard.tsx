import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { ChannelStatus, ResponseCell, reasonOf } from "../cells/status-cells.tsx";
import { SuccessCell } from "../cells/traffic-cells.tsx";
import { AUTO_DISABLED, type Channel, ENABLED, splitList } from "../channel.ts";
import type { ChannelActions } from "./use-channel-actions.ts";

/** A channel on a phone: status, why it is disabled, and its four metrics. */
export const ChannelCard = ({ channel, actions }: { channel: Channel; actions: ChannelActions }) => {
  const { t, i18n } = useTranslation();
  return (
    <>
      <Row gap={2.5} sx={{ fontSize: 12.5 }}>
        <Switch
          checked={channel.status === ENABLED}
          onChange={() => actions.toggle(channel)}
          slotProps={{ input: { "aria-label": t("channels.toggle", { name: channel.name }) } }}
        />
        <ChannelStatus channel={channel} />
        <Box sx={{ flex: 1 }} />
        <Box sx={{ color: "text.tertiary", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          #{channel.id} · {splitList(channel.group).join(", ")}
        </Box>
      </Row>
      {channel.status === AUTO_DISABLED && (
        <Box
          sx={{
            mt: 2,
            px: 2.5,
            py: 1.5,
            borderRadius: "6px",
            fontSize: 12.5,
            lineHeight: "18px",
            overflowWrap: "anywhere",
            color: "tone.bad.text",
            bgcolor: "tone.bad.tint",
          }}
        >
          {reasonOf(channel, t("channels.status.noReason"), i18n.language)}
        </Box>
      )}
      <Box
        component="dl"
        sx={{
          m: 0,
          mt: 2.5,
          display: "grid",
          gridTemplateColumns: "auto auto auto",
          justifyContent: "space-between",
          columnGap: 3,
        }}
      >
        <Figure name={t("channels.columns.success")}>
          <SuccessCell traffic={channel.traffic} />
        </Figure>
        <Figure name={t("channels.columns.response")}>
          <ResponseCell channel={channel} />
        </Figure>
        <Figure name={t("channels.priorityWeight")}>
          <span className="num">
            {channel.priority} / {channel.weight}
          </span>
        </Figure>
      </Box>
    </>
  );
};

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Box component="dt" sx={{ fontSize: 11.5, lineHeight: "16px", color: "text.tertiary", mb: 0.5 }}>
      {name}
    </Box>
    <Box component="dd" sx={{ m: 0, height: 22, display: "flex", alignItems: "center", fontSize: 13 }}>
      {children}
    </Box>
  </div>
);
