import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../../components/layout.tsx";
import type { Workload } from "./model-page.ts";

const FIELDS = [
  "requests",
  "inputTokens",
  "outputTokens",
  "cachedPercent",
] as const satisfies readonly (keyof Workload)[];
const MOST = { requests: 1e9, inputTokens: 1e7, outputTokens: 1e7, cachedPercent: 100 } as const;

type Props = Readonly<{ value: Workload; onChange: (workload: Workload) => void; withCache: boolean }>;

/** A month's requests and the tokens of each. What is no number counts as none. */
export const WorkloadFields = ({ value, onChange, withCache }: Props) => {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fit, minmax(132px, 1fr))", gap: 3 }}>
      {FIELDS.filter((name) => withCache || name !== "cachedPercent").map((name) => (
        <Field key={name} label={t(`model.workload.${name}`)} htmlFor={id + name}>
          <OutlinedInput
            id={id + name}
            fullWidth
            type="number"
            value={value[name]}
            inputProps={{ min: 0, max: MOST[name], className: "num", inputMode: "numeric" }}
            onChange={({ target }) => {
              const typed = Math.trunc(Number(target.value));
              onChange({ ...value, [name]: Number.isFinite(typed) ? Math.min(Math.max(typed, 0), MOST[name]) : 0 });
            }}
          />
        </Field>
      ))}
    </Box>
  );
};
