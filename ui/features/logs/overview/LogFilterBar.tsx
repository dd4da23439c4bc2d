import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import type { Address } from "../../../components/use-address.ts";
import { useActing, useOrganizationOptions } from "../../account/organizations/use-organization.ts";
import { LOG_TYPES, logFacet } from "../log-entry.ts";
import { FAILED, type LogFilters } from "../log-queries.ts";

const OWN = ["model", "token", "group", "tag"] as const;
const ADMIN = ["model", "token", "user", "channel", "group", "tag"] as const;

type LogFilterBarProps = Readonly<{
  address: Address;
  isAdmin: boolean;
  filters: LogFilters;
  /** Buttons at the end of the bar. */
  tools: ReactNode;
}>;

/** The filters of the log, apart from time. */
export const LogFilterBar = ({ address, isAdmin, filters, tools }: LogFilterBarProps) => {
  const { t } = useTranslation();
  const organization = useOrganizationOptions();
  const { may } = useActing();
  const owners = organization
    ? [
        {
          key: "project",
          label: t("logs.filters.project"),
          value: address.text("project"),
          options: organization.projects,
        },
        {
          key: "member",
          label: t("logs.filters.member"),
          value: address.text("member"),
          options: organization.members,
        },
      ]
    : [];
  const types = [
    ...Object.entries(LOG_TYPES).map(([name, type]) => ({ value: String(type), label: t(`logs.types.${name}`) })),
    { value: FAILED, label: t("logs.types.failed") },
  ];
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("logs.filters.search") }}
      filters={[
        { key: "type", label: t("logs.filters.type"), value: address.text("type"), options: types },
        ...(isAdmin ? ADMIN : OWN).map((key) => ({
          key,
          label: t(`logs.filters.${key}`),
          value: address.text(key),
          // They are counted from usage.
          ...(may("usage.read") && { suggestions: logFacet(isAdmin ? "all" : "self", key, filters) }),
        })),
        ...owners,
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={() =>
        address.set({
          ...Object.fromEntries(["search", "type", "project", "member", ...ADMIN].map((key) => [key, ""])),
          p: undefined,
        })
      }
      tools={tools}
    />
  );
};
