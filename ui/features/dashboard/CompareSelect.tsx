import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../components/inputs/date-time/DateTimeInput.tsx";
import { Row } from "../../components/layout.tsx";

const DAY_S = 86_400;
/** Days earlier. */
const EARLIER = { week: 7, fourWeeks: 28, year: 364 } as const;
const CHOICES = ["", "week", "fourWeeks", "year", "custom"] as const;

/** Where the period to compare with starts, by what the address says; undefined: the period before. */
export function compareStartOf(text: string, start: number): number | undefined {
  const days = Object.entries(EARLIER).find(([name]) => name === text)?.[1];
  if (days !== undefined) return start - days * DAY_S;
  const chosen = Number(text);
  return text !== "" && Number.isSafeInteger(chosen) && chosen > 0 ? chosen : undefined;
}

type Props = Readonly<{
  value: string;
  /** Of the period shown, in epoch seconds. */
  start: number;
  onChange: (value: string) => void;
}>;

/** Chooses the period that the figures are compared with: of the same length, at any time. */
export const CompareSelect = ({ value, start, onChange }: Props) => {
  const { t } = useTranslation();
  const custom = Number(value) > 0 ? Number(value) : null;
  return (
    <Row gap={2} wrap>
      <Box component="span" sx={{ fontSize: 12.5, color: "text.secondary" }}>
        {t("dashboard.compare.label")}
      </Box>
      <Select
        size="small"
        displayEmpty
        value={custom === null ? value : "custom"}
        inputProps={{ "aria-label": t("dashboard.compare.label") }}
        onChange={({ target }) => onChange(target.value === "custom" ? String(start - DAY_S) : target.value)}
      >
        {CHOICES.map((name) => (
          <MenuItem key={name} value={name}>
            {t(`dashboard.compare.${name || "previous"}`)}
          </MenuItem>
        ))}
      </Select>
      {custom !== null && (
        <Box sx={{ width: 210 }}>
          <DateTimeInput
            label={t("dashboard.compare.from")}
            value={custom}
            onChange={(next) => next && onChange(String(next))}
            hasError={false}
          />
        </Box>
      )}
    </Row>
  );
};
