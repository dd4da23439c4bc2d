import Box from "@mui/material/Box";
import type { LiveCall } from "../../../src/domain/logs/live/call-feed.ts";
import { Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { clock, StateCell } from "./live-columns.tsx";

/** A call on a phone: how it stands, who made it, how long it took, what it cost. */
export const LiveCard = ({ call }: { call: LiveCall }) => (
  <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>
    <Row gap={2}>
      <StateCell call={call} />
      <Box component="span" sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
        {[call.username, call.token_name].filter(Boolean).join(" · ")}
      </Box>
      <Box sx={{ flex: 1 }} />
      <span className="num">{clock(call.created_at)}</span>
    </Row>
    {call.is_over && (
      <Row gap={2} sx={{ mt: 1.5 }}>
        <Box component="span" sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          {call.channel_name || (call.channel ? `#${call.channel}` : "–")}
        </Box>
        <Box sx={{ flex: 1 }} />
        <span className="num">{(call.elapsed_ms / 1000).toFixed(2)} s</span>
        <Box component="span" sx={{ color: "text.primary", fontWeight: 600 }}>
          <Money quota={call.quota} decimals={6} />
        </Box>
      </Row>
    )}
  </Box>
);
