import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing } from "../../../components/page/list/standard-actions.tsx";
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
      hasDraft
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

const form = (role: AdminRole | null, close: () => void) => <AdminRoleDrawer role={role} onClose={close} />;

export const ADMIN_ROLES: ResourceList<AdminRole> = {
  text: (name) => `access.roles.${name}`,
  icon: AdminPanel,
  rows: { useAll: () => useQuery(adminRoles) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    { key: "name", kind: "text", isTitle: true },
    { key: "rights", kind: "text", head: "access.rights.title", of: ({ rights }, { t }) => rightsText(rights, t) },
    { key: "users", kind: "text", width: 96, align: "right", isSolid: true },
    { key: "created", kind: "time", of: "created_time", width: 132 },
  ],
  add: { name: "add", open: form },
  actions: [
    editing(form),
    deleting(({ id }) => deleteAdminRole(id), "access.roles.deleted", { isDisabled: ({ users }) => users > 0 }),
  ],
  onRow: ["edit"],
};

/** Roles with rights to parts of the administration. */
export const AdminRolesPage = () => <ListPage list={ADMIN_ROLES} />;
