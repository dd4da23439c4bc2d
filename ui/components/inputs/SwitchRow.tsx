import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { type ReactNode, useId } from "react";
import { Row } from "../layout.tsx";

type SwitchRowProps = Readonly<{
  label: string;
  hint?: ReactNode;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}>;

/** A switch with its name and what it does. */
export const SwitchRow = ({ label, hint, isOn, isDisabled = false, onChange }: SwitchRowProps) => {
  const id = useId();
  return (
    <Row gap={3} sx={{ alignItems: "flex-start" }}>
      <Switch
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
        slotProps={{ input: { id } }}
      />
      <Box>
        <label htmlFor={id} style={{ fontSize: 13 }}>
          {label}
        </label>
        {hint && <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{hint}</Box>}
      </Box>
    </Row>
  );
};
