import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useTranslation } from "react-i18next";
import type { AccessRight } from "../../../../../src/domain/accounts/organizations/rights.ts";
import { changeAccess, type Member } from "../../../../api/accounts/organization-calls.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
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
  return (
    <ResourceForm<{ withheld: readonly string[] }>
      as="dialog"
      title={t("organizations.access.of", { name: member.username })}
      action={t("organizations.access.save")}
      isNew
      text={(name) => `organizations.access.${name}`}
      initial={{ withheld: member.withheld }}
      save={async ({ withheld }) => {
        const rights = RIGHTS.filter((right) => withheld.includes(right));
        await changeAccess(organization, member.user_id, rights);
        return t("organizations.access.saved", { name: member.username });
      }}
      reload={[{ queryKey: ["organization", organization] }]}
      sections={({ withheld }, change) => [
        {
          fields: [
            <Box key="hint" sx={{ fontSize: 13, color: "text.secondary" }}>
              {t("organizations.access.hint")}
            </Box>,
            <Col key="rights">
              {RIGHTS.map((right) => {
                const isOfRole = member.access_rights.includes(right);
                const others = withheld.filter((other) => other !== right);
                return (
                  <FormControlLabel
                    key={right}
                    control={
                      <Checkbox
                        checked={isOfRole && !withheld.includes(right)}
                        disabled={!isOfRole}
                        onChange={({ target }) => change({ withheld: target.checked ? others : [...others, right] })}
                      />
                    }
                    label={t(`organizations.access.rights.${TEXTS[right]}`)}
                  />
                );
              })}
            </Col>,
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
