import Autocomplete from "@mui/material/Autocomplete";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { enabledModels } from "../../api/channels/channel-lists.ts";
import { useSuggestionTexts } from "../../components/inputs/suggestion-texts.ts";
import { Field } from "../../components/layout.tsx";

type ModelInputProps = Readonly<{
  label: string;
  value: string;
  hint?: string;
  error?: string | undefined;
  onChange: (model: string) => void;
}>;

/** A model by its name, with those that channels serve as suggestions. */
export const ModelInput = ({ label, value, hint, error, onChange }: ModelInputProps) => {
  const id = useId();
  const suggestionTexts = useSuggestionTexts();
  const models = useQuery(enabledModels).data;
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error}>
      <Autocomplete
        {...suggestionTexts}
        id={id}
        freeSolo
        size="small"
        options={models ?? []}
        inputValue={value}
        onInputChange={(_, text) => onChange(text)}
        renderInput={(params) => <TextField {...params} error={error !== undefined} />}
      />
    </Field>
  );
};
