import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";

type NumberInputProps = Readonly<{
  value: number;
  label: string;
  /** Whether a typed number is valid. */
  isValid: (value: number) => boolean;
  onChange: (value: number) => void;
  start?: string;
  end?: string;
}>;

/** A number applied on blur; invalid input shows an error and stays for correction. */
export const NumberInput = ({ value, label, isValid, onChange, start, end }: NumberInputProps) => {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const leave = () => {
    if (typed === null) return;
    const next = Number(typed);
    if (typed.trim() === "" || !Number.isFinite(next) || !isValid(next)) {
      notifyError(t("settings.errors.number"));
      return;
    }
    onChange(next);
    setTyped(null);
  };
  return (
    <OutlinedInput
      value={typed ?? String(value)}
      startAdornment={start}
      endAdornment={end}
      inputProps={{ "aria-label": label, inputMode: "decimal", className: "num" }}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={leave}
    />
  );
};
