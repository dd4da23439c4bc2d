import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useTranslation } from "react-i18next";
import type { StatusCounts } from "../../../src/domain/channels/list-channels.ts";

const SEGMENTS = [
  ["", "all", "all"],
  ["1", "enabled", "enabled"],
  ["3", "autoDisabled", "auto_disabled"],
  ["2", "disabled", "disabled"],
] as const;

type StatusSegmentsProps = Readonly<{
  value: string;
  counts: StatusCounts | undefined;
  onChange: (status: string) => void;
}>;

/** All, enabled, auto-disabled, disabled, each with its number. */
export const StatusSegments = ({ value, counts, onChange }: StatusSegmentsProps) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ overflowX: "auto", maxWidth: "100%", flex: { xs: "1 0 100%", sm: "0 1 auto" }, scrollbarWidth: "none" }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        value={value}
        onChange={(_, status: string | null) => status !== null && onChange(status)}
        aria-label={t("channels.filters.status")}
      >
        {SEGMENTS.map(([status, name, count]) => (
          <ToggleButton key={name} value={status}>
            {t(`channels.status.${name}`)}
            <Box component="span" className="num" sx={{ color: "text.tertiary", fontWeight: 450, minWidth: 8 }}>
              {counts?.[count].toLocaleString("en") ?? ""}
            </Box>
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </Box>
  );
};
