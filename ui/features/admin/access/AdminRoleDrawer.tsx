import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isRoleRight, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
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
  const { body, initial, form, change, faults, isSaving, submit } = useCheckedForm({
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
  const isDirty = JSON.stringify(initial) !== JSON.stringify(form);
  return (
    <SideDrawer
      title={role ? t("access.roles.editTitle", { name: role.name }) : t("access.roles.add")}
      isDirty={isDirty && !isSaving}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            loading={isSaving}
            disabled={role !== null && !isDirty}
            onClick={submit}
          >
            {t(role ? "access.roles.save" : "access.roles.add")}
          </Button>
        </>
      )}
    >
      <Box ref={body}>
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
      </Box>
    </SideDrawer>
  );
};
