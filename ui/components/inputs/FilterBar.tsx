import Search from "@mui/icons-material/Search";
import Tune from "@mui/icons-material/Tune";
import Badge from "@mui/material/Badge";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useAtomValue } from "jotai";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { singleKeysAtom } from "../../state/shortcuts.ts";
import { Row, usePhone } from "../layout.tsx";
import { type Filter, FilterButton } from "./FilterButton.tsx";

type Props = {
  search: { value: string; placeholder: string };
  filters: readonly Filter[];
  /** `key` of a filter, or "search". */
  onChange: (key: string, value: string) => void;
  onClear: () => void;
  /** Shown on phones too, where filters and tools are folded. */
  pinned?: ReactNode;
  /** Tools of the table on the right. */
  tools?: ReactNode;
};

const SEARCH_DELAY_MS = 300;

/**
 * Search, filters and table tools above a list; on a phone filters and tools are folded away. The page keeps the values in
 * the URL and passes them in.
 */
export const FilterBar = ({ search, filters, onChange, onClear, pinned, tools }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [isOpen, setOpen] = useState(false);
  const set = filters.filter(({ value }) => value !== "");
  const isAnySet = search.value !== "" || set.length > 0;
  const isFolded = isPhone && !isOpen;
  return (
    <Row wrap sx={{ mb: 3, rowGap: 2 }}>
      <SearchInput {...search} isWide={isPhone} onChange={(value) => onChange("search", value)} />
      {isPhone && (
        <Badge badgeContent={set.length} color="primary">
          <IconButton
            aria-label={t("components.filter.show")}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            sx={{ border: "1px solid", borderColor: "line.strong", borderRadius: "7px", width: 32, height: 32 }}
          >
            <Tune sx={{ fontSize: 18 }} />
          </IconButton>
        </Badge>
      )}
      {(isFolded ? set : filters).map((filter) => (
        <FilterButton key={filter.key} filter={filter} onChange={(value) => onChange(filter.key, value)} />
      ))}
      {isAnySet && (
        <Button variant="text" size="small" onClick={onClear}>
          {t("components.filter.clear")}
        </Button>
      )}
      {!isPhone && <Box sx={{ flex: 1 }} />}
      {isFolded ? (
        pinned
      ) : (
        <Row gap={1} wrap sx={{ rowGap: 2 }}>
          {pinned}
          {tools}
        </Row>
      )}
    </Row>
  );
};

type SearchProps = { value: string; placeholder: string; isWide: boolean; onChange: (value: string) => void };

/** Applies shortly after the last keystroke; `/` focuses it. */
const SearchInput = ({ value, placeholder, isWide, onChange }: SearchProps) => {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  const hasSingleKeys = useAtomValue(singleKeysAtom);
  latest.current = onChange;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  useEffect(() => {
    if (!hasSingleKeys) return;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea, [role=dialog]");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [hasSingleKeys]);
  return (
    <OutlinedInput
      sx={isWide ? { flex: "1 1 200px", minWidth: 0 } : { width: 264, flex: "0 1 auto" }}
      value={text}
      placeholder={placeholder}
      onChange={(event) => setText(event.target.value)}
      inputRef={input}
      inputProps={{ "aria-label": placeholder, type: "search" }}
      startAdornment={
        <InputAdornment position="start">
          <Search />
        </InputAdornment>
      }
      endAdornment={isWide ? undefined : <kbd aria-hidden>/</kbd>}
    />
  );
};
