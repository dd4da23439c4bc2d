import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AccessRight } from "../../../../../src/domain/accounts/organizations/rights.ts";
import { changeAccess, type Member } from "../../../../api/accounts/organization-calls.ts";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { Col } from "../../../../components/layout.tsx";

type Props = Readonly<{ organization: number; member: Member; onClose: () => void }>;

const TEXTS = {
  "usage.read": "usage",
  "requests.read": "requests",
  "audit.read": "audit",
  "exports.download": "exports",
} as const satisfies Record<AccessRight, string>;
const RIGHTS = [
  "usage.read",
  "requests.read",
  "audit.read",
  "exports.download",
] as const satisfies (keyof typeof TEXTS)[];

/** Which parts of what a member's role sees the member may see. */
export const AccessDialog = ({ organization, member, onClose }: Props) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [withheld, setWithheld] = useState<ReadonlySet<string>>(new Set(member.withheld));
  const save = useMutation({
    mutationFn: () =>
      changeAccess(
        organization,
        member.user_id,
        RIGHTS.filter((right) => withheld.has(right)),
      ),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: ["organization", organization] });
      notifyDone(t("organizations.access.saved", { name: member.username }));
      onClose();
    },
    onError: notifyError,
  });
  const toggle = (right: AccessRight) => {
    const next = new Set(withheld);
    if (!next.delete(right)) next.add(right);
    setWithheld(next);
  };
  return (
    <FormDialog
      title={t("organizations.access.of", { name: member.username })}
      action={t("organizations.access.save")}
      isBusy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Box sx={{ mb: 2, fontSize: 13, color: "text.secondary" }}>{t("organizations.access.hint")}</Box>
      <Col>
        {RIGHTS.map((right) => {
          const isOfRole = member.access_rights.includes(right);
          return (
            <FormControlLabel
              key={right}
              control={
                <Checkbox
                  checked={isOfRole && !withheld.has(right)}
                  disabled={!isOfRole}
                  onChange={() => toggle(right)}
                />
              }
              label={t(`organizations.access.rights.${TEXTS[right]}`)}
            />
          );
        })}
      </Col>
    </FormDialog>
  );
};
