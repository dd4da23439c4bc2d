import Tooltip from "@mui/material/Tooltip";
import { Tag } from "../../../components/StatusChip.tsx";
import { type LogEntry, otherOf } from "../log-entry.ts";
import { Dash } from "./LatencyCell.tsx";

/** Through which channels the call went, where it took more than one. */
export const RetryCell = ({ entry }: { entry: LogEntry }) => {
  const info = otherOf(entry).admin_info;
  const channels = info?.use_channel ?? [];
  if (channels.length < 2) return <Dash />;
  const names = info?.attempts.map(({ channelId, channelName }) => channelName || `#${channelId}`) ?? channels;
  return (
    <Tooltip title={names.join(" → ")}>
      <span>
        <Tag>{channels.join(" → ")}</Tag>
      </span>
    </Tooltip>
  );
};
