import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";
import type { ServiceHost } from "../../../../../src/providers/contract/facts.ts";
import { useSuggestionTexts } from "../../../../components/inputs/suggestion-texts.ts";

type BaseUrlInputProps = Readonly<{
  id: string;
  value: string;
  isWrong: boolean;
  placeholder: string;
  /** Addresses to choose from; any other can be typed. */
  hosts: readonly ServiceHost[];
  onChange: (baseUrl: string) => void;
}>;

/** The base URL of a channel: one of the service's addresses, or another. */
export const BaseUrlInput = ({ id, value, isWrong, placeholder, hosts, onChange }: BaseUrlInputProps) => {
  const { t, i18n } = useTranslation();
  const texts = useSuggestionTexts();
  return (
    <Autocomplete
      {...texts}
      freeSolo
      openOnFocus
      // Only while nothing is typed: the list would cover the URL of a call that stands below.
      options={value === "" ? hosts : []}
      getOptionLabel={(option) => (typeof option === "string" ? option : option.url)}
      inputValue={value}
      onInputChange={(_, typed) => onChange(typed)}
      renderOption={({ key, ...props }, host) => (
        <Box component="li" key={key} {...props}>
          <Box sx={{ minWidth: 0 }}>
            <Box className="mono" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
              {host.url}
            </Box>
            <Box sx={{ fontSize: 12, color: "text.secondary" }}>
              {countryOf(host.region, i18n.language) ?? t("channels.form.international")}
              {host.plan && ` · ${host.plan}`}
            </Box>
          </Box>
        </Box>
      )}
      renderInput={({ slotProps }) => (
        <OutlinedInput
          ref={slotProps.input.ref}
          fullWidth
          error={isWrong}
          placeholder={placeholder}
          inputProps={{
            ...slotProps.htmlInput,
            id,
            className: `${slotProps.htmlInput.className ?? ""} mono`,
            spellCheck: false,
            inputMode: "url",
          }}
          endAdornment={hosts.length > 0 ? slotProps.input.endAdornment : undefined}
        />
      )}
    />
  );
};

/** The country of an address; null: it is for customers abroad. */
const countryOf = (region: string | null, language: string): string | null =>
  region && (new Intl.DisplayNames([language], { type: "region" }).of(region) ?? region);
