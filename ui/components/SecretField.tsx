import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "./layout.tsx";

type Props = {
  id: string;
  /** What is stored, hidden; empty: nothing is stored. */
  masked: string;
  /** The new secret; empty: keep the stored one. */
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  hasError?: boolean;
  multiline?: boolean;
};

/** A secret that can be replaced and is never shown: the stored one stays until a new one is typed. */
export const SecretField = ({ id, masked, value, onChange, placeholder, hasError, multiline }: Props) => {
  const { t } = useTranslation();
  const [isReplacing, setReplacing] = useState(masked === "" || value !== "");
  if (!isReplacing) {
    return (
      <Row>
        <OutlinedInput id={id} fullWidth readOnly value={masked} inputProps={{ className: "mono" }} />
        <Button onClick={() => setReplacing(true)}>{t("components.secret.replace")}</Button>
      </Row>
    );
  }
  return (
    <Row sx={{ alignItems: "flex-start" }}>
      <OutlinedInput
        id={id}
        fullWidth
        autoComplete="off"
        multiline={multiline ?? false}
        maxRows={8}
        value={value}
        error={hasError ?? false}
        placeholder={placeholder ?? ""}
        onChange={(event) => onChange(event.target.value)}
        inputProps={{ className: "mono", spellCheck: false, "data-1p-ignore": true }}
      />
      {masked !== "" && (
        <Button
          variant="text"
          onClick={() => {
            onChange("");
            setReplacing(false);
          }}
        >
          {t("components.secret.keep")}
        </Button>
      )}
    </Row>
  );
};
