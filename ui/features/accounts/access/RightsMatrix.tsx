import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import { useTranslation } from "react-i18next";
import { isRight, RESOURCES, type Resource, type Right } from "../../../../src/domain/accounts/access/access-rules.ts";

type RightsMatrixProps = Readonly<{
  value: readonly Right[];
  onChange: (rights: Right[]) => void;
  /** Rights that are not offered. */
  isHidden?: (right: Right) => boolean;
}>;

const VERBS = ["read", "write", "act"] as const;
const resources = Object.keys(RESOURCES) as readonly Resource[];

/** Rights as a table: resources down, what can be done with each across. */
export const RightsMatrix = ({ value, onChange, isHidden }: RightsMatrixProps) => {
  const { t } = useTranslation();
  const toggle = (right: Right, isOn: boolean) =>
    onChange(isOn ? [...value, right] : value.filter((other) => other !== right));
  const isOffered = (right: string): right is Right => isRight(right) && !isHidden?.(right);
  const rows = resources.filter((resource) => VERBS.some((verb) => isOffered(`${resource}:${verb}`)));
  return (
    <Box component="table" sx={{ borderCollapse: "collapse", width: "100%", fontSize: 13 }}>
      <thead>
        <tr>
          <Box component="th" scope="col" sx={{ textAlign: "left", fontWeight: 550, py: 1 }}>
            {t("access.rights.resource")}
          </Box>
          {VERBS.map((verb) => (
            <Box key={verb} component="th" scope="col" sx={{ fontWeight: 550, py: 1, width: 72 }}>
              {t(`access.rights.verbs.${verb}`)}
            </Box>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((resource) => (
          <Box key={resource} component="tr" sx={{ borderTop: "1px solid", borderColor: "line.faint" }}>
            <Box component="th" scope="row" sx={{ textAlign: "left", fontWeight: 400, py: 1, pr: 2 }}>
              {t(`access.rights.resources.${resource}`)}
              <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t(`access.rights.hints.${resource}`)}</Box>
            </Box>
            {VERBS.map((verb) => {
              const right = `${resource}:${verb}`;
              return (
                <Box key={verb} component="td" sx={{ textAlign: "center" }}>
                  {isOffered(right) && (
                    <Checkbox
                      size="small"
                      checked={value.includes(right)}
                      onChange={({ target }) => toggle(right, target.checked)}
                      slotProps={{
                        input: {
                          "aria-label": `${t(`access.rights.resources.${resource}`)}: ${t(`access.rights.verbs.${verb}`)}`,
                        },
                      }}
                    />
                  )}
                </Box>
              );
            })}
          </Box>
        ))}
      </tbody>
    </Box>
  );
};
