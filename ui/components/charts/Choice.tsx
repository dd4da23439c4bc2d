import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";

type ChoiceProps<Name extends string> = Readonly<{
  label: string;
  value: Name;
  choices: readonly Name[];
  words: (name: Name) => string;
  onChange: (name: Name) => void;
}>;

/** A toggle between a few options. */
export const Choice = <Name extends string>({ label, value, choices, words, onChange }: ChoiceProps<Name>) => (
  <Box sx={{ overflowX: "auto", maxWidth: "100%", scrollbarWidth: "none" }}>
    <ToggleButtonGroup exclusive size="small" value={value} aria-label={label}>
      {choices.map((name) => (
        <ToggleButton key={name} value={name} onClick={() => onChange(name)}>
          {words(name)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  </Box>
);
