import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../../components/layout.tsx";
import { SiteText } from "../../../components/site/SiteText.tsx";

type ContentFieldProps = Readonly<{
  id: string;
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}>;

/** A text for visitors, with a preview. */
export const ContentField = ({ id, label, hint, value, onChange }: ContentFieldProps) => {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} htmlFor={id} hint={hint} sx={{ gridColumn: "1 / -1" }}>
      <OutlinedInput
        id={id}
        fullWidth
        multiline
        minRows={4}
        maxRows={18}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button
        size="small"
        variant="text"
        disabled={value.trim() === ""}
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
        sx={{ mt: 1 }}
      >
        {t(isShown ? "settings.hidePreview" : "settings.preview")}
      </Button>
      {isShown && value.trim() !== "" && (
        <Box
          sx={{
            mt: 2,
            border: "1px dashed",
            borderColor: "line.strong",
            borderRadius: 1,
            maxHeight: 420,
            overflow: "auto",
          }}
        >
          <SiteText text={value} frameTitle={label} />
        </Box>
      )}
    </Field>
  );
};
