import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import type { TableModel } from "../../components/data-table/use-data-table.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import { SavedViews } from "../../components/SavedViews.tsx";
import type { Address } from "../../components/useAddress.ts";
import { DISABLED, ENABLED, EXHAUSTED, EXPIRED, type Token } from "./token.ts";
import { usableGroups } from "./token-queries.ts";

const STATUSES = [
  [ENABLED, "enabled"],
  [DISABLED, "disabled"],
  [EXPIRED, "expired"],
  [EXHAUSTED, "exhausted"],
] as const;

type TokenFiltersProps = Readonly<{
  address: Address;
  model: TableModel<Token>;
  /** A whole key: a secret, so it is kept out of the address. */
  wholeKey: string;
  onWholeKey: (key: string) => void;
}>;

/** Search by name or by a whole key; status and group. */
export const TokenFilters = ({ address, model, wholeKey, onWholeKey }: TokenFiltersProps) => {
  const { t } = useTranslation();
  const groups = Object.keys(useQuery(usableGroups).data ?? {});
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("tokens.filters.search") }}
      filters={[
        { key: "key", label: t("tokens.filters.key"), value: wholeKey },
        {
          key: "status",
          label: t("tokens.filters.status"),
          value: address.text("status"),
          options: STATUSES.map(([status, name]) => ({ value: String(status), label: t(`tokens.status.${name}`) })),
        },
        {
          key: "group",
          label: t("tokens.filters.group"),
          value: address.text("group"),
          options: groups.map((group) => ({ value: group, label: group })),
        },
      ]}
      onChange={(key, value) => {
        if (key === "key") onWholeKey(value);
        address.set(key === "key" ? { p: undefined } : { [key]: value, p: undefined });
      }}
      onClear={() => {
        onWholeKey("");
        address.clear();
      }}
      tools={
        <>
          <SavedViews list="tokens" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
