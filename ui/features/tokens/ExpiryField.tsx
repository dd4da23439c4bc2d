import Chip from "@mui/material/Chip";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../components/DateTimeInput.tsx";
import { Field, Row } from "../../components/layout.tsx";
import { NEVER } from "./token.ts";

const QUICK = [
  ["quickNever", NEVER],
  ["quickHour", 3600],
  ["quickDay", 86_400],
  ["quickMonth", 30 * 86_400],
] as const;

type ExpiryFieldProps = Readonly<{
  /** Epoch seconds; -1 never; null: what was typed is no date. */
  value: number | null;
  onChange: (seconds: number | null) => void;
  error: string | undefined;
}>;

/** When a key stops working. */
export const ExpiryField = ({ value, onChange, error }: ExpiryFieldProps) => {
  const { t } = useTranslation();
  return (
    <Field
      label={t("tokens.form.expires")}
      error={error}
      hint={value === NEVER ? t("tokens.form.expiresNever") : undefined}
    >
      <DateTimeInput
        label={t("tokens.form.expires")}
        value={value === NEVER ? null : value}
        onChange={(seconds) => onChange(seconds === null ? NEVER : (seconds ?? null))}
        hasError={error !== undefined}
      />
      <Row gap={1.5} wrap sx={{ mt: 1.5 }}>
        {QUICK.map(([name, seconds]) => (
          <Chip
            key={name}
            variant="outlined"
            label={t(`tokens.form.${name}`)}
            onClick={() => onChange(seconds === NEVER ? NEVER : Math.floor(Date.now() / 1000) + seconds)}
          />
        ))}
      </Row>
    </Field>
  );
};
