import { useTranslation } from "react-i18next";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import type { TableModel } from "../../components/data-table/use-data-table.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import { SavedViews } from "../../components/SavedViews.tsx";
import type { Address } from "../../components/useAddress.ts";
import { type Code, DISABLED, UNUSED, USED } from "./code.ts";

const STATUSES = [
  [UNUSED, "unused"],
  [DISABLED, "disabled"],
  [USED, "used"],
] as const;

/** Search by name, id or the whole code; status and kind. */
export const CodeFilters = ({ address, model }: { address: Address; model: TableModel<Code> }) => {
  const { t } = useTranslation();
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("codes.filters.search") }}
      filters={[
        {
          key: "status",
          label: t("codes.filters.status"),
          value: address.text("status"),
          options: STATUSES.map(([status, name]) => ({ value: String(status), label: t(`codes.status.${name}`) })),
        },
        {
          key: "type",
          label: t("codes.filters.type"),
          value: address.text("type"),
          options: [
            { value: "code", label: t("codes.ordinary") },
            { value: "gift", label: t("codes.gift") },
          ],
        },
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={address.clear}
      tools={
        <>
          <SavedViews list="codes" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
