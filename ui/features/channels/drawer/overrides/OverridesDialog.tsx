import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../../api/channels/channel-lists.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { checkJsonObject } from "../../../../components/inputs/json-text.ts";
import { setOverrides } from "./override-calls.ts";

type OverridesDialogProps = Readonly<{ ids: readonly number[]; onSet: () => void; onClose: () => void }>;

const FIELDS = ["paramOverride", "headerOverride"] as const;
const EXAMPLES = { paramOverride: '{"temperature": 0.7}', headerOverride: '{"X-Title": "My site"}' } as const;

/** Sets the overrides of chosen channels; empty fields leave each channel's own. */
export const OverridesDialog = ({ ids, onSet, onClose }: OverridesDialogProps) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      title={t("channels.overrides.title", { count: ids.length })}
      action={t("channels.tags.save", { count: ids.length })}
      isNew
      text={(name) => `channels.form.${name}`}
      initial={{ paramOverride: "", headerOverride: "" }}
      isComplete={(form) =>
        FIELDS.some((field) => form[field].trim() !== "") &&
        FIELDS.every((field) => form[field].trim() === "" || checkJsonObject(form[field]) === null)
      }
      save={async (form) => {
        const count = await setOverrides(ids, form);
        onSet();
        return t("channels.tags.saved", { count });
      }}
      reload={[{ queryKey: CHANNELS_KEY }]}
      sections={() => [
        {
          hint: t("channels.overrides.setHint"),
          fields: FIELDS.map((field) => ({ kind: "json", field, hint: true, example: EXAMPLES[field] })),
        },
      ]}
      onClose={onClose}
    />
  );
};
