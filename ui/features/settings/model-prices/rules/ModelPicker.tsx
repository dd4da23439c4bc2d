import Autocomplete from "@mui/material/Autocomplete";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";

const SUGGESTED = 50;

type ModelPickerProps = Readonly<{
  models: readonly string[];
  value: string;
  label: string;
  onChange: (text: string) => void;
}>;

/** A field for a model's name that suggests known ones; any other may be typed. */
export const ModelPicker = ({ models, value, label, onChange }: ModelPickerProps) => {
  const { t } = useTranslation();
  return (
    <NamePicker
      names={models}
      value={value}
      label={label}
      placeholder={t("settings.pricing.columns.name")}
      onChange={onChange}
    />
  );
};

/** A field for a name that suggests known ones. */
export const NamePicker = ({
  id,
  names,
  value,
  label,
  placeholder,
  onChange,
}: Readonly<{
  id?: string;
  names: readonly string[];
  value: string;
  label: string;
  placeholder?: string;
  onChange: (text: string) => void;
}>) => (
  <Autocomplete
    {...(id !== undefined && { id })}
    fullWidth
    freeSolo
    options={[...names]}
    inputValue={value}
    onInputChange={(_, text) => onChange(text)}
    filterOptions={(all, { inputValue }) =>
      all.filter((option) => option.toLowerCase().includes(inputValue.toLowerCase())).slice(0, SUGGESTED)
    }
    renderInput={({ slotProps }) => (
      <OutlinedInput
        ref={slotProps.input.ref}
        fullWidth
        {...(placeholder !== undefined && { placeholder })}
        inputProps={{ ...slotProps.htmlInput, "aria-label": label }}
      />
    )}
  />
);
