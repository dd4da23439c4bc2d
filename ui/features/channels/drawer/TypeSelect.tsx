import Autocomplete from "@mui/material/Autocomplete";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { useSuggestionTexts } from "../../../components/inputs/suggestion-texts.ts";
import { Row } from "../../../components/layout.tsx";

type TypeSelectProps = Readonly<{
  id: string;
  types: readonly ChannelType[];
  value: number;
  /** Shown when the server doesn't know the type. */
  unknownName: string;
  onChange: (type: number) => void;
}>;

/** The channel types, with search. */
export const TypeSelect = ({ id, types, value, unknownName, onChange }: TypeSelectProps) => {
  const suggestionTexts = useSuggestionTexts();
  const options = types.map(({ id: type, name }) => ({ type, name }));
  const chosen = options.find(({ type }) => type === value) ?? { type: value, name: unknownName };
  return (
    <Autocomplete
      {...suggestionTexts}
      disableClearable
      autoHighlight
      options={options.some(({ type }) => type === value) ? options : [chosen, ...options]}
      value={chosen}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ type }) => type}
      isOptionEqualToValue={(a, b) => a.type === b.type}
      onChange={(_, option) => onChange(option.type)}
      renderOption={({ key, ...props }, option) => (
        <li key={key} {...props}>
          <Row gap={2}>
            <ProviderGlyph name={option.name} size={20} />
            {option.name}
          </Row>
        </li>
      )}
      renderInput={({ slotProps, fullWidth }) => (
        <OutlinedInput
          ref={slotProps.input.ref}
          fullWidth={fullWidth}
          className={slotProps.input.className}
          sx={{ height: 32, pl: "6px !important" }}
          onMouseDown={slotProps.input.onMouseDown}
          inputProps={{ ...slotProps.htmlInput, id }}
          startAdornment={
            <InputAdornment position="start">
              <ProviderGlyph name={chosen.name} size={20} />
            </InputAdornment>
          }
          endAdornment={slotProps.input.endAdornment}
        />
      )}
    />
  );
};

/** Form hints for a channel type; undefined: none. */
export function useTypeWords(type: number) {
  const { t, i18n } = useTranslation();
  const has = (key: string) => i18n.exists(`channels.form.${key}.${type}`);
  return {
    hint: has("hints") ? t(`channels.form.hints.${type}`) : undefined,
    key: has("keyHints") ? t(`channels.form.keyHints.${type}`) : undefined,
    baseUrl: has("baseUrlHints") ? t(`channels.form.baseUrlHints.${type}`) : undefined,
    /** The type's extra parameter. */
    other: has("other")
      ? {
          label: t(`channels.form.other.${type}`),
          hint: t(`channels.form.other.${type}hint`),
          example: t(`channels.form.other.${type}example`),
        }
      : undefined,
  };
}
