import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { MAPPED_ROLES } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import { Col, Row } from "../../../components/layout.tsx";
import { mappableOrganizations } from "./provider-calls.ts";

export type Mapping = Readonly<{ group: string; organization_id: number; role: string }>;

type MappingRowsProps = Readonly<{ value: readonly Mapping[]; onChange: (mappings: Mapping[]) => void }>;

/** Which group makes people what in which organization, a row each. */
export const MappingRows = ({ value, onChange }: MappingRowsProps) => {
  const { t } = useTranslation();
  const { data: organizations = [] } = useQuery(mappableOrganizations);
  const change = (index: number, fields: Partial<Mapping>) =>
    onChange(value.map((mapping, at) => (at === index ? { ...mapping, ...fields } : mapping)));
  const first = organizations[0]?.id;
  if (first === undefined) return <Box sx={{ fontSize: 12.5 }}>{t("identityProviders.mappings.none")}</Box>;
  return (
    <Col gap={2}>
      {value.map(({ group, organization_id: organization, role }, index) => (
        // Rows have no identity but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Row key={index} wrap>
          <OutlinedInput
            sx={{ flex: 2, minWidth: 140 }}
            value={group}
            placeholder={t("identityProviders.mappings.group")}
            inputProps={{ "aria-label": t("identityProviders.mappings.group") }}
            onChange={({ target }) => change(index, { group: target.value })}
          />
          <Select
            sx={{ flex: 2, minWidth: 120 }}
            value={organization}
            inputProps={{ "aria-label": t("identityProviders.mappings.organization") }}
            onChange={({ target }) => change(index, { organization_id: Number(target.value) })}
          >
            {organizations.map(({ id, username, display_name: name }) => (
              <MenuItem key={id} value={id}>
                {name || username}
              </MenuItem>
            ))}
          </Select>
          <Select
            sx={{ flex: 1, minWidth: 110 }}
            value={role}
            inputProps={{ "aria-label": t("identityProviders.mappings.role") }}
            onChange={({ target }) => change(index, { role: target.value })}
          >
            {MAPPED_ROLES.map((name) => (
              <MenuItem key={name} value={name}>
                {t(`accountSwitch.roles.${name}`)}
              </MenuItem>
            ))}
          </Select>
          <IconButton
            size="small"
            aria-label={t("identityProviders.mappings.remove", { group })}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          >
            <Delete fontSize="small" />
          </IconButton>
        </Row>
      ))}
      <Box>
        <Button
          size="small"
          startIcon={<Add />}
          onClick={() => onChange([...value, { group: "", organization_id: first, role: "developer" }])}
        >
          {t("identityProviders.mappings.add")}
        </Button>
      </Box>
    </Col>
  );
};
