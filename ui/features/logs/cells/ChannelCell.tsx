import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { Row } from "../../../components/layout.tsx";
import { Tag } from "../../../components/Tag.tsx";
import { type LogEntry, routeOf } from "../log-entry.ts";
import { Dash } from "./LatencyCell.tsx";

/** The channel that answered, and how many were tried. */
export const ChannelCell = ({ entry }: { entry: LogEntry }) => {
  if (!entry.channel) return <Dash />;
  const route = routeOf(entry);
  return (
    <Row gap={1.5}>
      <Box
        component="span"
        title={`#${entry.channel} ${entry.channel_name}`}
        sx={{ color: "text.secondary", overflow: "hidden", textOverflow: "ellipsis" }}
      >
        {entry.channel_name || `#${entry.channel}`}
      </Box>
      {route.length > 1 && (
        <Tooltip title={route.join(" → ")}>
          <span>
            <Tag>×{route.length}</Tag>
          </span>
        </Tooltip>
      )}
    </Row>
  );
};
