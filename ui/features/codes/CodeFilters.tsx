import Columns from "@mui/icons-material/ViewColumnOutlined";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ColumnDialog } from "../../components/data-table/ColumnDialog.tsx";
import type { ColumnChoice } from "../../components/data-table/useColumnChoice.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import type { Address } from "../../components/useAddress.ts";
import { type Code, DISABLED, UNUSED, USED } from "./code.ts";

const STATUSES = [
  [UNUSED, "unused"],
  [DISABLED, "disabled"],
  [USED, "used"],
] as const;

/** Search by name, id or the whole code; status and kind. */
export const CodeFilters = ({ address, columns }: { address: Address; columns: ColumnChoice<Code> }) => {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
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
          <Tooltip title={t("components.table.columns")}>
            <IconButton aria-label={t("components.table.columns")} onClick={() => setChoosing(true)}>
              <Columns />
            </IconButton>
          </Tooltip>
        }
      />
      {isChoosing && <ColumnDialog choice={columns} onClose={() => setChoosing(false)} />}
    </>
  );
};
