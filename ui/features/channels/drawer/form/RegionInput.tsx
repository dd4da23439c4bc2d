import Autocomplete from "@mui/material/Autocomplete";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useSuggestionTexts } from "../../../../components/inputs/suggestion-texts.ts";

type RegionInputProps = Readonly<{
  id: string;
  value: string;
  isWrong: boolean;
  placeholder?: string | undefined;
  /** The field takes several lines: JSON. */
  multiline: boolean;
  disabled?: boolean;
  /** Regions to choose from; any other can be typed. */
  regions: readonly string[];
  onChange: (region: string) => void;
}>;

/** The region of a channel: one of the service's, or another. */
export const RegionInput = ({ id, value, isWrong, placeholder, multiline, regions, ...props }: RegionInputProps) => (
  <Autocomplete
    {...useSuggestionTexts()}
    freeSolo
    openOnFocus
    disabled={props.disabled === true}
    options={regions}
    inputValue={value}
    onInputChange={(_, typed) => props.onChange(typed)}
    slotProps={{ listbox: { className: "mono", sx: { fontSize: 13 } } }}
    renderInput={({ slotProps }) => (
      <OutlinedInput
        ref={slotProps.input.ref}
        fullWidth
        multiline={multiline}
        error={isWrong}
        disabled={props.disabled === true}
        {...(placeholder && { placeholder })}
        inputProps={{ ...slotProps.htmlInput, id, spellCheck: false }}
        endAdornment={slotProps.input.endAdornment}
      />
    )}
  />
);
