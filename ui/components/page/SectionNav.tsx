import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import type { ReactNode } from "react";
import { Row } from "../layout.tsx";

export type Section<Id extends string = string> = Readonly<{
  id: Id;
  title: string;
  /** Stands after the title, such as a dot or a count. */
  mark?: ReactNode;
}>;

type Props<Id extends string> = Readonly<{
  sections: readonly Section<Id>[];
  current: Id;
  /** What the sections are, for screen readers. */
  label: string;
  onSelect: (id: Id) => void;
}>;

/** The sections of a page of which one is shown: a list next to it, on narrow screens a select above it. */
export const SectionNav = <Id extends string>(props: Props<Id>) => (
  <>
    <SectionList {...props} />
    <SectionSelect {...props} />
  </>
);

const SectionList = <Id extends string>({ sections, current, label, onSelect }: Props<Id>) => (
  <Box
    component="nav"
    aria-label={label}
    sx={{
      position: "sticky",
      top: 72,
      alignSelf: "start",
      display: { xs: "none", md: "block" },
      width: 176,
      flex: "none",
      borderLeft: "1px solid",
      borderColor: "line.main",
    }}
  >
    {sections.map(({ id, title, mark }) => {
      const isCurrent = id === current;
      return (
        <ButtonBase
          key={id}
          onClick={() => onSelect(id)}
          {...(isCurrent && { "aria-current": "page" as const })}
          sx={{
            display: "flex",
            width: "100%",
            justifyContent: "space-between",
            textAlign: "left",
            px: 3,
            py: 1,
            fontSize: 13,
            // Makes entries in Latin letters as tall as those in Chinese.
            lineHeight: "20px",
            fontWeight: isCurrent ? 600 : 400,
            color: isCurrent ? "text.primary" : "text.secondary",
            boxShadow: ({ palette }) => (isCurrent ? `inset 2px 0 ${palette.primary.main}` : "none"),
            "&:hover": { color: "text.primary", bgcolor: "surface.hover" },
          }}
        >
          {title}
          {mark}
        </ButtonBase>
      );
    })}
  </Box>
);

const SectionSelect = <Id extends string>({ sections, current, label, onSelect }: Props<Id>) => (
  <TextField
    select
    fullWidth
    size="small"
    value={current}
    onChange={({ target }) => {
      const chosen = sections.find(({ id }) => id === target.value);
      if (chosen) onSelect(chosen.id);
    }}
    sx={{ display: { md: "none" } }}
    slotProps={{ select: { "aria-label": label, MenuProps: { sx: { maxHeight: 480 } } } }}
  >
    {sections.map(({ id, title, mark }) => (
      <MenuItem key={id} value={id}>
        <Row gap={2} sx={{ justifyContent: "space-between", width: 1 }}>
          {title}
          {mark}
        </Row>
      </MenuItem>
    ))}
  </TextField>
);
