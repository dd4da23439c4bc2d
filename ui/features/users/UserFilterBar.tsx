import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import type { TableModel } from "../../components/data-table/use-data-table.ts";
import { FilterBar } from "../../components/FilterBar.tsx";
import { SavedViews } from "../../components/SavedViews.tsx";
import type { Address } from "../../components/useAddress.ts";
import { groupNames } from "../channels/channel-queries.ts";
import { ACTIVE, BANNED, ROLE, type User } from "./user.ts";

/** Search by name, e-mail or id; group, role and status. */
export const UserFilterBar = ({ address, model }: { address: Address; model: TableModel<User> }) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  return (
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
        <>
          <SavedViews list="users" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
