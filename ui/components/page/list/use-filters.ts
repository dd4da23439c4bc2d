import { useState } from "react";
import type { Filter } from "../../inputs/FilterButton.tsx";
import type { ListContext } from "./list-context.ts";
import type { FilterValues, ListFilter } from "./resource-list.ts";

type Filters = Readonly<{
  values: FilterValues;
  filters: readonly Filter[];
  isAnySet: boolean;
  onChange: (key: string, value: string) => void;
  onClear: () => void;
}>;

const NO_SECRETS: Readonly<Record<string, string>> = {};

/** The filters of a description with their values. Clearing them clears all of a page's address, elsewhere only their part. */
export function useFilters<Data>(
  described: readonly ListFilter<Data>[],
  text: (name: string) => string,
  { t, data, address }: ListContext<Data>,
  isPage: boolean,
): Filters {
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const shown = described.filter(({ isShown }) => isShown?.(data) ?? true);
  const isSecret = (key: string) => shown.some((filter) => filter.key === key && filter.isSecret);
  const read = (key: string) => (isSecret(key) ? (secrets[key] ?? "") : address.text(key));
  const keys = ["search", ...described.map(({ key }) => key)];
  return {
    values: { text: read, number: address.number },
    filters: shown.map(({ key, head, options }) => ({
      key,
      label: t(head ?? text(`filters.${key}`)),
      value: read(key),
      ...(options && {
        options:
          typeof options === "function"
            ? options(data)
            : options.map(([value, option]) => ({ value, label: t(option) })),
      }),
    })),
    isAnySet: keys.some((key) => read(key) !== ""),
    onChange(key, value) {
      if (isSecret(key)) setSecrets({ ...secrets, [key]: value });
      address.set(isSecret(key) ? { p: undefined } : { [key]: value, p: undefined });
    },
    onClear() {
      setSecrets(NO_SECRETS);
      if (isPage) address.clear();
      else address.set({ ...Object.fromEntries(keys.map((key) => [key, ""])), p: undefined });
    },
  };
}
