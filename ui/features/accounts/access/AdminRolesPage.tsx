import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import Box from "@mui/material/Box";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
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
  const client = useQueryClient();
  const stored: Form = { name: role?.name ?? "", rights: role?.rights ?? [] };
  const state = useCheckedForm({
    initial: stored,
    check: ({ name, rights }: Form) => ({
      ...(name.trim() === "" && { name: "name" as const }),
      ...(rights.length === 0 && { rights: "rights" as const }),
    }),
    send: async ({ name, rights }: Form) => {
      const saved = await saveAdminRole(role?.id ?? null, { name: name.trim(), rights: [...rights] });
      notifyDone(t("access.roles.saved", { name: saved.name }));
      void client.invalidateQueries(adminRoles);
      onClose();
    },
  });
  const { form, change, faults } = state;
  return (
    <FormDrawer
      state={state}
      title={role ? t("access.roles.editTitle", { name: role.name }) : t("access.roles.add")}
      action={t(role ? "access.roles.save" : "access.roles.add")}
      isNew={role === null}
      onClose={onClose}
    >
      <Section title={t("access.roles.general")}>
        <LabelledInput
          label={t("access.roles.columns.name")}
          error={faults.name && t("access.roles.nameRequired")}
          name="admin-role-name"
          maxCharacters={LONGEST_NAME}
          value={form.name}
          onChange={(name) => change({ name })}
        />
      </Section>
      <Section title={t("access.rights.title")} hint={t("access.roles.rightsHint")}>
        {faults.rights && (
          <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
            {t("access.rights.required")}
          </Box>
        )}
        <RightsMatrix
          value={form.rights}
          isHidden={(right) => !isRoleRight(right)}
          onChange={(rights) => change({ rights })}
        />
      </Section>
    </FormDrawer>
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
