import Box from "@mui/material/Box";
import FormControlLabel from "@mui/material/FormControlLabel";
import Switch from "@mui/material/Switch";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useAtom } from "jotai";
import { useTranslation } from "react-i18next";
import type { StatusCounts } from "../../../../src/domain/channels/manage/list-channels.ts";
import type { Address } from "../../../components/use-address.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { byTagAtom } from "../tags/tag-rows.ts";
import { idSortAtom } from "./use-channel-data.tsx";

/** Switches of how the list is shown. */
export const ListSwitches = ({ address }: { address: Address }) => (
  <>
    <ListSwitch name="idSort" atom={idSortAtom} onChange={() => address.set({ sort: "", order: "", p: undefined })} />
    <ListSwitch name="byTag" atom={byTagAtom} onChange={() => address.set({ p: undefined })} />
  </>
);

type ListSwitchProps = Readonly<{ name: "idSort" | "byTag"; atom: typeof byTagAtom; onChange: () => void }>;

const ListSwitch = ({ name, atom, onChange }: ListSwitchProps) => {
  const { t } = useTranslation();
  const [isOn, setOn] = useAtom(atom);
  return (
    <FormControlLabel
      label={t(`channels.filters.${name}`)}
      control={
        <Switch
          checked={isOn}
          onChange={({ target }) => {
            setOn(target.checked);
            onChange();
          }}
        />
      }
      sx={{
        mx: 2,
        gap: 2,
        "& .MuiFormControlLabel-label": { fontSize: 12.5, color: "text.secondary", whiteSpace: "nowrap" },
      }}
    />
  );
};

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

/** All, enabled, auto-disabled and disabled, each with its count. */
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
              {counts ? formatNumber(counts[count]) : ""}
            </Box>
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </Box>
  );
};
