import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { enabledModels } from "../../api/channels/channel-lists.ts";
import { SuggestedInput } from "../../components/inputs/NameListInput.tsx";
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
  const models = useQuery(enabledModels).data;
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error}>
      <SuggestedInput id={id} options={models ?? []} value={value} onChange={onChange} hasError={error !== undefined} />
    </Field>
  );
};
