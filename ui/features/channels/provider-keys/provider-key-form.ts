import type { ProviderKeyOffer, ProviderKeyView, SavedKey } from "./provider-key-calls.ts";

export type KeyForm = {
  name: string;
  provider: string;
  key: string;
  models: readonly string[];
  mode: ProviderKeyView["mode"];
  isEnabled: boolean;
};

/** The server has the same list. */
export const MODES = ["first", "only"] as const satisfies readonly ProviderKeyView["mode"][];

const LONGEST_NAME = 60;
const KEY = /^[\x21-\x2b\x2d-\x7e]{8,500}$/;

/** The form of a key; null: a new one, for the first provider. */
export function formOf(key: ProviderKeyView | null, providers: ProviderKeyOffer["providers"]): KeyForm {
  const [first] = providers;
  return {
    name: key?.name ?? "",
    provider: key?.provider ?? first?.provider ?? "",
    key: "",
    models: key?.models ?? first?.models ?? [],
    mode: key?.mode ?? "first",
    isEnabled: key?.enabled ?? true,
  };
}

/** What is saved. */
export const keyOfForm = ({ name, provider, key, models, mode, isEnabled }: KeyForm): SavedKey => ({
  ...{ name: name.trim(), provider, key: key.trim(), models, mode, enabled: isEnabled },
});

/** What is wrong with the form, by field; `stored`: the key that it changes. */
export function checkKeyForm(form: KeyForm, stored: ProviderKeyView | null) {
  const key = form.key.trim();
  const name = form.name.trim();
  const keepsKey = stored !== null && stored.provider === form.provider && key === "";
  const keyFault = keepsKey
    ? undefined
    : key === ""
      ? ("keyNeeded" as const)
      : KEY.test(key)
        ? undefined
        : ("key" as const);
  return {
    name: name === "" || name.length > LONGEST_NAME ? ("name" as const) : undefined,
    key: keyFault,
    models: form.models.length === 0 ? ("models" as const) : undefined,
  };
}

/** Another provider has other models; those that somebody chose stay. */
export function followProvider(
  changed: Partial<KeyForm>,
  form: KeyForm,
  providers: ProviderKeyOffer["providers"],
): Partial<KeyForm> {
  if (changed.provider === undefined) return {};
  const lists = providers.map(({ models }) => models.join("\n"));
  const isOffered = form.models.length === 0 || lists.includes(form.models.join("\n"));
  const next = providers.find(({ provider }) => provider === changed.provider);
  return isOffered && next ? { models: next.models } : {};
}
