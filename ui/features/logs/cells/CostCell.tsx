import Box from "@mui/material/Box";
import { Money } from "../../../components/Money.tsx";
import { isCall, LOG_TYPES, type LogEntry } from "../log-entry.ts";
import { Dash } from "./LatencyCell.tsx";

const DECIMALS = 6;

/** What a call cost, to six decimals; what was put in is marked with a plus. */
export const CostCell = ({ entry }: { entry: LogEntry }) => {
  if (isCall(entry)) {
    return (
      <Box component="span" sx={entry.quota === 0 ? { color: "text.tertiary" } : {}}>
        <Money quota={entry.quota} decimals={DECIMALS} />
      </Box>
    );
  }
  if (entry.quota === 0) return <Dash />;
  const isIncome = entry.type === LOG_TYPES.topUp || entry.type === LOG_TYPES.checkIn;
  return (
    <Box component="span" sx={isIncome ? { color: "tone.ok.text", fontWeight: 550 } : {}}>
      {isIncome && "+"}
      <Money quota={entry.quota} />
    </Box>
  );
};
