import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { NumberInput } from "../../fields/NumberInput.tsx";
import type { Factors } from "./special-prices.ts";

/** The factors of input, output and cached input of one line; `name` says whose. */
export const FactorInputs = ({
  row,
  name,
  onChange,
}: Readonly<{ row: Factors; name: string; onChange: (factors: Partial<Factors>) => void }>) => {
  const { t } = useTranslation();
  return (["input", "output", "cached"] as const).map((field) => (
    <Box key={field} sx={{ gridArea: field }}>
      <NumberInput
        value={row[field] ?? row.input}
        label={t(`settings.factors.${field}`, { name })}
        start="×"
        isValid={(value) => value >= 0}
        onChange={(value) => onChange({ [field]: value })}
      />
    </Box>
  ));
};
