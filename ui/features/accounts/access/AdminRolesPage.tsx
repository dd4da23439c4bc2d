import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { ResourcePage } from "../../../components/page/ResourcePage.tsx";
import { type AdminRole, adminRoles, deleteAdminRole, rightsText, saveAdminRole } from "./access-calls.ts";
import { RightsMatrix } from "./RightsMatrix.tsx";

type AdminRoleDrawerProps = Readonly<{
  /** Null: a new one. */
  role: AdminRole | null;
  onClose: () => void;
}>;

type Form = { name: string; rights: readonly Right[] };

const LONGEST_NAME = 40;

/** Creates a custom role, or changes its name and rights. */
export const AdminRoleDrawer = ({ role, onClose }: AdminRoleDrawerProps) => {
  const { t } = useTranslation();
  const save = async ({ name, rights }: Form) => {
    const saved = await saveAdminRole(role?.id ?? null, { name: name.trim(), rights: [...rights] });
    return t("access.roles.saved", { name: saved.name });
  };
  return (
    <ResourceForm<Form>
      title={role ? t("access.roles.editTitle", { name: role.name }) : t("access.roles.add")}
      action={t(role ? "access.roles.save" : "access.roles.add")}
      isNew={role === null}
      text={(name) => `access.roles.columns.${name}`}
      initial={{ name: role?.name ?? "", rights: role?.rights ?? [] }}
      check={({ name, rights }) => ({
        name: name.trim() === "" ? "name" : undefined,
        rights: rights.length === 0 ? "rights" : undefined,
      })}
      fault={() => t("access.roles.nameRequired")}
      save={save}
      reload={[adminRoles]}
      sections={({ rights }, change, faults) => [
        {
          title: t("access.roles.general"),
          fields: [{ kind: "text", field: "name", maxCharacters: LONGEST_NAME }],
        },
        {
          title: t("access.rights.title"),
          hint: t("access.roles.rightsHint"),
          error: faults.rights && t("access.rights.required"),
          fields: [
            <RightsMatrix
              key="rights"
              value={rights}
              isHidden={(right) => !isRoleRight(right)}
              onChange={(next) => change({ rights: next })}
            />,
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** Roles with rights to parts of the administration. */
export const AdminRolesPage = () => (
  <ResourcePage
    text={(name) => `access.roles.${name}`}
    list={useQuery(adminRoles)}
    columns={useColumns()}
    icon={<AdminPanel />}
    remove={deleteAdminRole}
    isInUse={({ users }) => users > 0}
    drawer={(role, onClose) => <AdminRoleDrawer role={role} onClose={onClose} />}
  />
);

function useColumns(): readonly Column<AdminRole>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "name", head: t("access.roles.columns.name"), isTitle: true, cell: ({ name }) => name },
      { key: "rights", head: t("access.rights.title"), cell: ({ rights }) => rightsText(rights, t) },
      {
        key: "users",
        head: t("access.roles.columns.users"),
        width: 96,
        align: "right",
        isSolid: true,
        cell: ({ users }) => users,
      },
      {
        key: "created",
        head: t("access.roles.columns.created"),
        width: 132,
        cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
      },
    ],
    [t],
  );
}
