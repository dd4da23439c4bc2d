import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { formatNumber } from "../../lib/format/number.ts";
import { dollars, useMoneyFormat } from "../display/Money.tsx";
import { Row } from "../layout.tsx";

type Props = {
  id: string;
  /** Quota units, as text while being edited. */
  value: string;
  onChange: (value: string) => void;
  disabled?: boolean;
  hasError?: boolean;
  /** Presets in dollars. */
  picks?: readonly number[];
};

/** Quota units with their value in dollars. */
export const QuotaInput = ({ id, value, onChange, disabled, hasError, picks = [] }: Props) => {
  const { quotaPerUnit } = useMoneyFormat();
  const quota = Number(value);
  return (
    <>
      <OutlinedInput
        id={id}
        fullWidth
        value={value}
        onChange={(event) => onChange(event.target.value)}
        disabled={disabled ?? false}
        error={hasError ?? false}
        inputProps={{ inputMode: "numeric", className: "num" }}
        endAdornment={
          <InputAdornment position="end">
            <Box component="span" className="num" sx={{ fontSize: 12.5, color: "text.tertiary" }}>
              {value.trim() !== "" && Number.isFinite(quota) ? `= ${dollars(quota, quotaPerUnit, 2)}` : ""}
            </Box>
          </InputAdornment>
        }
      />
      {picks.length > 0 && !disabled && (
        <Row gap={1.5} wrap sx={{ mt: 1.5 }}>
          {picks.map((pick) => (
            <Chip
              key={pick}
              size="small"
              variant="outlined"
              label={`$${formatNumber(pick)}`}
              onClick={() => onChange(String(pick * quotaPerUnit))}
            />
          ))}
        </Row>
      )}
    </>
  );
};
