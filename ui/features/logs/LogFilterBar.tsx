import { useTranslation } from "react-i18next";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import type { TableModel } from "../../components/data-table/use-data-table.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import { SavedViews } from "../../components/SavedViews.tsx";
import type { Address } from "../../components/useAddress.ts";
import { FAILED } from "./log-address.ts";
import { LOG_TYPES, type LogEntry } from "./log-entry.ts";

const OWN = ["model", "token", "group"] as const;
const ADMIN = ["model", "token", "user", "channel", "group"] as const;

type LogFilterBarProps = Readonly<{ address: Address; isAdmin: boolean; model: TableModel<LogEntry> }>;

/** What narrows the log beside time. */
export const LogFilterBar = ({ address, isAdmin, model }: LogFilterBarProps) => {
  const { t } = useTranslation();
  const types = [
    ...Object.entries(LOG_TYPES).map(([name, type]) => ({ value: String(type), label: t(`logs.types.${name}`) })),
    { value: FAILED, label: t("logs.types.failed") },
  ];
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("logs.filters.search") }}
      filters={[
        { key: "type", label: t("logs.filters.type"), value: address.text("type"), options: types },
        ...(isAdmin ? ADMIN : OWN).map((key) => ({ key, label: t(`logs.filters.${key}`), value: address.text(key) })),
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={() =>
        address.set({ search: "", type: "", model: "", token: "", user: "", channel: "", group: "", p: undefined })
      }
      tools={
        <>
          <SavedViews list="logs" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
