import Tooltip from "@mui/material/Tooltip";
import { Tag } from "../../../components/Tag.tsx";
import { type LogEntry, otherOf, routeOf } from "../log-entry.ts";
import { Dash } from "./LatencyCell.tsx";

/** The numbers of the channels that the call went through, where it took more than one. */
export const RetryCell = ({ entry }: { entry: LogEntry }) => {
  const channels = otherOf(entry).admin_info?.use_channel ?? [];
  if (channels.length < 2) return <Dash />;
  return (
    <Tooltip title={routeOf(entry).join(" → ")}>
      <span>
        <Tag>{channels.join(" → ")}</Tag>
      </span>
    </Tooltip>
  );
};
