/** Channel types by the form of their keys; a key may fit several providers, most likely one first. */
const FORMS: readonly (readonly [form: RegExp, types: readonly number[]])[] = [
  [/^sk-ant-/, [14]],
  [/^sk-or-/, [20]],
  [/^sk-(proj|svcacct|admin)-/, [1]],
  [/^AIza[\w-]{30,}$/, [24]],
  [/^xai-/, [48]],
  [/^gsk_/, [1000]],
  [/^nvapi-/, [1004]],
  [/^fw_/, [1002]],
  [/^hf_/, [1005]],
  [/^pplx-/, [1003]],
  [/^jina_/, [38]],
  [/^(pa|al)-[\w-]{40,}$/, [1016]],
  [/^app-/, [37]],
  [/^fastgpt-/, [22]],
  [/^vda_/, [1011]],
  [/^key_[0-9a-f]{64,}$/, [1012]],
  [/^bce-v3\//, [46]],
  [/^\{[\s\S]*"service_account"/, [41]],
  [/^[0-9a-f]{32}\.\w{16}$/i, [26]],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, [45]],
  [/^sk-[0-9a-f]{32}$/, [43, 17]],
  [/^sk-[a-z]{48}$/, [40]],
  [/^sk-\w{48}$/, [1, 25]],
  [/^[A-Za-z0-9]{32}$/, [42]],
  [/^[A-Za-z0-9]{40}$/, [34]],
  [/^[0-9a-f]{64}$/, [1001]],
];

/** The channel types whose keys look like this one, most likely first; empty if none is known. */
export function typesOfKey(key: string): readonly number[] {
  const text = key.trim();
  return FORMS.find(([form]) => form.test(text))?.[1] ?? [];
}
