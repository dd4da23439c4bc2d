import Columns from "@mui/icons-material/ViewColumnOutlined";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ColumnDialog } from "../../components/data-table/ColumnDialog.tsx";
import type { ColumnChoice } from "../../components/data-table/useColumnChoice.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import type { Address } from "../../components/useAddress.ts";
import { groupNames } from "../channels/channel-queries.ts";
import { ACTIVE, BANNED, ROLE, type User } from "./user.ts";

/** Search by name, e-mail or id; group, role and status. */
export const UserFilterBar = ({ address, columns }: { address: Address; columns: ColumnChoice<User> }) => {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  const groups = useQuery(groupNames).data ?? [];
  return (
    <>
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("users.filters.search") }}
        filters={[
          {
            key: "group",
            label: t("users.columns.group"),
            value: address.text("group"),
            options: groups.map((group) => ({ value: group, label: group })),
          },
          {
            key: "role",
            label: t("users.columns.role"),
            value: address.text("role"),
            options: [
              { value: String(ROLE.user), label: t("users.role.user") },
              { value: String(ROLE.admin), label: t("users.role.admin") },
              { value: String(ROLE.root), label: t("users.role.root") },
            ],
          },
          {
            key: "status",
            label: t("users.columns.status"),
            value: address.text("status"),
            options: [
              { value: String(ACTIVE), label: t("users.status.active") },
              { value: String(BANNED), label: t("users.status.banned") },
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
