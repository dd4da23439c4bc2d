import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { readAmount, typedOf, unitsOf } from "../../lib/format/amount-text.ts";
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

/**
 * An amount, typed in the site's format, also as arithmetic: dollars, with their quota units as a detail; or units, with their
 * value in dollars. Its value is quota units.
 */
export const MoneyInput = ({ id, value, onChange, disabled, hasError, picks = [] }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { inCurrency, quotaPerUnit } = format;
  const [typed, setTyped] = useState(() => typedOf(value, format));
  const sent = useRef(value);
  // Set from elsewhere: a preset, the form's own values, the stored ones. Or the site's format arrived.
  useEffect(() => {
    if (sent.current === value && unitsOf(typed, format) === value) return;
    sent.current = value;
    setTyped(typedOf(value, format));
  }, [value, typed, format]);
  const set = (text: string) => {
    setTyped(text);
    sent.current = unitsOf(text, format);
    onChange(sent.current);
  };
  const quota = readAmount(value);
  const detail =
    quota === null || quota === 0
      ? ""
      : inCurrency
        ? t("components.money.units", { units: formatNumber(quota) })
        : dollars(quota, quotaPerUnit, 2);
  return (
    <>
      <OutlinedInput
        id={id}
        fullWidth
        value={typed}
        onChange={(event) => set(event.target.value)}
        onBlur={() => setTyped(typedOf(value, format))}
        disabled={disabled ?? false}
        error={hasError ?? false}
        inputProps={{ inputMode: "text", className: "num", autoComplete: "off" }}
        {...(inCurrency && { startAdornment: <InputAdornment position="start">$</InputAdornment> })}
        endAdornment={
          <InputAdornment position="end">
            <Box component="span" className="num" sx={{ fontSize: 12.5, color: "text.tertiary" }}>
              {detail && `= ${detail}`}
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
