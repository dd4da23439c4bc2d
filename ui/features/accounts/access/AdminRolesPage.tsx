import Add from "@mui/icons-material/AddOutlined";
import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { PageHeader } from "../../../components/layout.tsx";
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
export const AdminRolesPage = () => {
  const { t } = useTranslation();
  const list = useQuery(adminRoles);
  const [opened, setOpened] = useState<{ role: AdminRole | null } | null>(null);
  const remove = useRemove();
  const model = useDataTable({
    columns: useColumns(),
    rows: list.data,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
    actions: (role) => [
      { label: t("access.roles.edit"), icon: <Edit />, onSelect: () => setOpened({ role }) },
      {
        label: t("access.roles.delete"),
        icon: <Delete />,
        onSelect: () => void remove(role),
        isDangerous: true,
        isDisabled: role.users > 0,
      },
    ],
  });
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ role: null })}>
      {t("access.roles.add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("access.roles.title")} purpose={t("access.roles.purpose")} actions={add} />
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(role) => setOpened({ role })}
        empty={
          <EmptyState
            icon={<AdminPanel />}
            title={t("access.roles.empty.title")}
            body={t("access.roles.empty.body")}
            action={add}
          />
        }
      />
      {opened && <AdminRoleDrawer role={opened.role} onClose={() => setOpened(null)} />}
    </>
  );
};

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

function useRemove() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(adminRoles));
  return ({ id, name }: AdminRole) =>
    act({
      question: {
        title: t("access.roles.deleteTitle", { name }),
        body: t("access.roles.deleteBody"),
        action: t("access.roles.delete"),
        isDangerous: true,
      },
      work: () => deleteAdminRole(id),
      done: () => t("access.roles.deleted", { name }),
    });
}
