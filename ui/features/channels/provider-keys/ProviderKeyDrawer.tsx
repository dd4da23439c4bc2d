import { useTranslation } from "react-i18next";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { createKey, type ProviderKeyOffer, type ProviderKeyView, updateKey } from "./provider-key-calls.ts";
import { checkKeyForm, followProvider, formOf, type KeyForm, keyOfForm, MODES } from "./provider-key-form.ts";

type ProviderKeyDrawerProps = Readonly<{
  /** Null: a new one. */
  providerKey: ProviderKeyView | null;
  offer: ProviderKeyOffer;
  onClose: () => void;
}>;

/** Stores a key at a provider, or changes what is stored of it. */
export const ProviderKeyDrawer = ({ providerKey, offer: { providers }, onClose }: ProviderKeyDrawerProps) => {
  const { t } = useTranslation();
  const text = (name: string) => t(`providerKeys.form.${name}`);
  const save = async (form: KeyForm) => {
    const saved = keyOfForm(form);
    await (providerKey ? updateKey(providerKey.id, saved) : createKey(saved));
    return t("providerKeys.savedToast", { name: saved.name });
  };
  const nameOf = (slug: string) => providers.find(({ provider }) => provider === slug)?.name ?? slug;
  const slugs = providers.map(({ provider }) => provider);
  const known = providerKey && !slugs.includes(providerKey.provider) ? [providerKey.provider, ...slugs] : slugs;
  return (
    <ResourceForm
      title={providerKey ? t("providerKeys.form.editTitle", { name: providerKey.name }) : text("createTitle")}
      action={text(providerKey ? "save" : "create")}
      isNew={providerKey === null}
      text={(name) => `providerKeys.form.${name}`}
      initial={formOf(providerKey, providers)}
      check={(form) => checkKeyForm(form, providerKey)}
      fault={(fault) => t(`providerKeys.form.errors.${fault}`)}
      follow={(changed, form) => followProvider(changed, form, providers)}
      save={save}
      reload={[{ queryKey: ["provider-keys"] }]}
      sections={(form) => [
        {
          title: text("key"),
          fields: [
            { kind: "text", field: "name", autoFocus: providerKey === null },
            { kind: "select", field: "provider", options: optionsOf(known, nameOf) },
            {
              kind: "secret",
              field: "key",
              label: text("secret"),
              hint: text(providerKey?.provider === form.provider ? "secretStored" : "secretHint"),
            },
          ],
        },
        {
          title: text("calls"),
          fields: [
            {
              kind: "names",
              field: "models",
              hint: true,
              placeholder: "gpt-*",
              options: [...(providers.find(({ provider }) => provider === form.provider)?.models ?? [])],
            },
            {
              kind: "choice",
              field: "mode",
              hint: true,
              options: optionsOf(MODES, (mode) => t(`providerKeys.modes.${mode}`)),
            },
            { kind: "switch", field: "isEnabled", label: text("enabled") },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
