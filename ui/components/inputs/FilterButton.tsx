import Close from "@mui/icons-material/Close";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import MenuItem from "@mui/material/MenuItem";
import MenuList from "@mui/material/MenuList";
import OutlinedInput from "@mui/material/OutlinedInput";
import Popover from "@mui/material/Popover";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format/number.ts";
import { Row } from "../layout.tsx";

export type FilterOption = Readonly<{
  value: string;
  label: string;
  /** How many rows have it. */
  count?: number;
}>;

/** A filter of a list. */
export type Filter = Readonly<{
  key: string;
  label: string;
  /** The current value; empty: not set. */
  value: string;
  /** The options; without them, the value is free text. */
  options?: readonly FilterOption[];
  /** Values to choose from besides free text, loaded when the filter opens. */
  suggestions?: UseQueryOptions<readonly FilterOption[]>;
}>;

/** A filter with a value shows it with a clear button; an empty one is muted. */
export const FilterButton = ({ filter, onChange }: { filter: Filter; onChange: (value: string) => void }) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { label, value, options } = filter;
  const shown = options?.find((option) => option.value === value)?.label ?? value;
  return (
    <Row
      gap={0}
      sx={{
        height: 32,
        borderRadius: "7px",
        border: "1px",
        borderStyle: value ? "solid" : "dashed",
        borderColor: "line.strong",
        flex: "none",
        bgcolor: value ? "surface.paper" : "transparent",
        overflow: "hidden",
        maxWidth: 320,
      }}
    >
      <ButtonBase
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{
          height: "100%",
          minWidth: 0,
          pl: 2.5,
          pr: value ? 1.5 : 2,
          gap: 1.5,
          fontSize: 13,
          color: value ? "text.primary" : "text.secondary",
          "&:hover": { bgcolor: "surface.hover" },
        }}
      >
        <span>{label}</span>
        {value ? (
          <Box
            component="span"
            sx={{
              fontWeight: 550,
              pl: 1.5,
              borderLeft: "1px solid",
              borderColor: "line.main",
              overflow: "hidden",
              textOverflow: "ellipsis",
              whiteSpace: "nowrap",
            }}
          >
            {shown}
          </Box>
        ) : (
          <ExpandMore sx={{ fontSize: 15, color: "text.tertiary" }} />
        )}
      </ButtonBase>
      {value && (
        <ButtonBase
          aria-label={t("components.filter.clearOne", { name: label })}
          onClick={() => onChange("")}
          sx={{
            width: 24,
            height: "100%",
            flex: "none",
            color: "text.tertiary",
            "&:hover": { color: "text.primary", bgcolor: "surface.hover" },
          }}
        >
          <Close sx={{ fontSize: 14 }} />
        </ButtonBase>
      )}
      {anchor && <FilterPopover anchor={anchor} filter={filter} onChange={onChange} onClose={() => setAnchor(null)} />}
    </Row>
  );
};

type FilterPopoverProps = {
  anchor: HTMLElement;
  filter: Filter;
  onChange: (value: string) => void;
  onClose: () => void;
};

/** From this many options on, the list can be searched. */
const SEARCHABLE_FROM = 8;
const MOST_SHOWN = 100;

const NO_SUGGESTIONS: UseQueryOptions<readonly FilterOption[]> = {
  queryKey: ["no-suggestions"],
  queryFn: () => [],
  enabled: false,
};

/** Chooses a filter's value from its options, or takes typed text. */
/** The values of a filter, to choose one from. */
export const FilterPopover = ({ anchor, filter, onChange, onClose }: FilterPopoverProps) => {
  const { t } = useTranslation();
  const [text, setText] = useState(filter.options ? "" : filter.value);
  const { options, label } = filter;
  const { data: suggestions } = useQuery(filter.suggestions ?? NO_SUGGESTIONS);
  const matching = (options ?? suggestions)?.filter((option) =>
    option.label.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const choose = (value: string) => {
    onChange(value);
    onClose();
  };
  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: "bottom", horizontal: "left" }}
      slotProps={{
        paper: {
          role: "dialog",
          "aria-label": label,
          sx: { mt: 1, width: 260, border: "1px solid", borderColor: "line.main" },
        },
      }}
    >
      {(!options || options.length > SEARCHABLE_FROM) && (
        <Box
          component="form"
          sx={{ p: 2 }}
          onSubmit={(event) => {
            event.preventDefault();
            const [first] = matching ?? [];
            if (!options) choose(text.trim());
            else if (first) choose(first.value);
          }}
        >
          <Row gap={1.5}>
            <OutlinedInput
              autoFocus
              fullWidth
              value={text}
              onChange={(event) => setText(event.target.value)}
              inputProps={{ "aria-label": label }}
            />
            {!options && (
              <Button type="submit" variant="contained" color="primary">
                {t("components.filter.apply")}
              </Button>
            )}
          </Row>
        </Box>
      )}
      {matching && (options || matching.length > 0) && (
        <MenuList
          autoFocus={options !== undefined && options.length <= SEARCHABLE_FROM}
          dense
          sx={{ maxHeight: 320, overflowY: "auto" }}
        >
          {matching.slice(0, MOST_SHOWN).map((option) => (
            <MenuItem key={option.value} selected={option.value === filter.value} onClick={() => choose(option.value)}>
              <Box component="span" sx={{ flex: 1, overflow: "hidden", textOverflow: "ellipsis" }}>
                {option.label}
              </Box>
              {option.count !== undefined && (
                <Box component="span" className="num" sx={{ pl: 3, color: "text.tertiary" }}>
                  {formatNumber(option.count)}
                </Box>
              )}
            </MenuItem>
          ))}
          {matching.length === 0 && <MenuItem disabled>{t("components.filter.nothing")}</MenuItem>}
        </MenuList>
      )}
    </Popover>
  );
};
