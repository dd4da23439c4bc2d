import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import MenuList from "@mui/material/MenuList";
import OutlinedInput from "@mui/material/OutlinedInput";
import Popover from "@mui/material/Popover";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Filter } from "./FilterBar.tsx";
import { Row } from "./layout.tsx";

type Props = { anchor: HTMLElement; filter: Filter; onChange: (value: string) => void; onClose: () => void };

/** Beyond this many a list can be searched. */
const SEARCHABLE_FROM = 8;
const MOST_SHOWN = 100;

/** Where a filter's value is chosen from its options, or typed. */
export const FilterPopover = ({ anchor, filter, onChange, onClose }: Props) => {
  const { t } = useTranslation();
  const [text, setText] = useState(filter.options ? "" : filter.value);
  const { options, label } = filter;
  const matching = options?.filter((option) => option.label.toLowerCase().includes(text.trim().toLowerCase()));
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
      {matching && (
        <MenuList
          autoFocus={options !== undefined && options.length <= SEARCHABLE_FROM}
          dense
          sx={{ maxHeight: 320, overflowY: "auto" }}
        >
          {matching.slice(0, MOST_SHOWN).map((option) => (
            <MenuItem key={option.value} selected={option.value === filter.value} onClick={() => choose(option.value)}>
              {option.label}
            </MenuItem>
          ))}
          {matching.length === 0 && <MenuItem disabled>{t("components.filter.nothing")}</MenuItem>}
        </MenuList>
      )}
    </Popover>
  );
};
