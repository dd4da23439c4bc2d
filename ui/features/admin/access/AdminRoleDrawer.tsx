import Box from "@mui/material/Box";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { type AdminRole, adminRoles, saveAdminRole } from "./admin-role-calls.ts";
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
