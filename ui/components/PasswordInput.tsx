import VisibilityOffOutlined from "@mui/icons-material/VisibilityOffOutlined";
import VisibilityOutlined from "@mui/icons-material/VisibilityOutlined";
import IconButton from "@mui/material/IconButton";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";

type Props = {
  id: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  hasError?: boolean;
};

/** A password, which can be looked at while it is typed. */
export const PasswordInput = ({ id, name, value, onChange, autoComplete, hasError }: Props) => {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <OutlinedInput
      id={id}
      name={name}
      fullWidth
      required
      type={isShown ? "text" : "password"}
      autoComplete={autoComplete}
      error={hasError ?? false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      endAdornment={
        <InputAdornment position="end">
          <IconButton
            size="small"
            aria-label={isShown ? t("login.hidePassword") : t("login.showPassword")}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <VisibilityOutlined /> : <VisibilityOffOutlined />}
          </IconButton>
        </InputAdornment>
      }
    />
  );
};
