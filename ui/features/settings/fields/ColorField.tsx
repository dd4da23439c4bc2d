import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";
import { Field, Row } from "../../../components/layout.tsx";

type Props = Readonly<{
  id: string;
  label: string;
  hint: string;
  error: string | null;
  value: string;
  onChange: (text: string) => void;
  onBlur: () => void;
}>;

/** The console's own accent, where the browser's picker starts. */
const OWN = "#0f766e";
const LONG = /^#[0-9a-f]{6}$/i;

/** A color as text, with the browser's picker. */
export const ColorField = ({ id, label, hint, error, value, onChange, onBlur }: Props) => {
  const { t } = useTranslation();
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error}>
      <Row gap={2}>
        <Box
          component="input"
          type="color"
          aria-label={t("settings.brand.pick")}
          value={LONG.test(value) ? value : OWN}
          onChange={(event) => onChange(event.currentTarget.value)}
          sx={{ width: 36, height: 32, p: 0, flex: "none", border: 0, bgcolor: "transparent", cursor: "pointer" }}
        />
        <OutlinedInput
          id={id}
          fullWidth
          value={value}
          error={error !== null}
          placeholder={OWN}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
          inputProps={{ spellCheck: false }}
        />
      </Row>
    </Field>
  );
};
