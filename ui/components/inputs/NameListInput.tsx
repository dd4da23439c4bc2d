import Close from "@mui/icons-material/CloseOutlined";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Chip from "@mui/material/Chip";
import InputBase from "@mui/material/InputBase";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isNamePattern } from "../../lib/name-pattern.ts";
import { useSuggestionTexts } from "./suggestion-texts.ts";

/** Chips shown before the list is collapsed: model lists can have thousands of names. */
const SHOWN = 24;
const SUGGESTED = 50;

type NameListInputProps = Readonly<{
  id?: string;
  value: readonly string[];
  onChange: (names: string[]) => void;
  /**
   * Suggested while typing; other names are taken too, unless `strict`, where Enter takes the first that matches; with `patterns`,
   * patterns are taken beyond the suggested names.
   */
  options: readonly string[];
  strict?: boolean | "patterns";
  placeholder: string;
  invalid?: boolean;
}>;

/** A list of names as chips: type, choose or paste several; Backspace in the empty field removes the last one. */
export function NameListInput({ id, value, onChange, options, strict, placeholder, invalid }: NameListInputProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const chosen = useMemo(() => new Set(value), [value]);
  const free = useMemo(() => options.filter((name) => !chosen.has(name)), [options, chosen]);

  const isTaken = (name: string) => !strict || options.includes(name) || (strict === "patterns" && isNamePattern(name));
  const add = (text: string) => {
    const names = text
      .split(/[,\s]+/)
      .map((name) => name.trim())
      .filter((name) => name !== "" && !chosen.has(name) && isTaken(name));
    if (names.length > 0) onChange([...value, ...new Set(names)]);
    setText("");
  };
  const shown = isOpen ? value : value.slice(0, SHOWN);
  const hidden = value.length - SHOWN;
  return (
    <Box
      sx={{
        display: "flex",
        flexWrap: "wrap",
        alignItems: "center",
        gap: 1.5,
        p: 1.5,
        minHeight: 32,
        maxHeight: 220,
        overflowY: "auto",
        border: "1px solid",
        borderColor: invalid ? "tone.bad.solid" : "line.strong",
        borderRadius: "7px",
        "&:focus-within": {
          borderColor: "primary.main",
          boxShadow: (theme) => `0 0 0 3px ${theme.vars?.palette.accentTint}`,
        },
      }}
    >
      {shown.map((name) => (
        <Chip
          key={name}
          label={name}
          deleteIcon={<Close role="button" aria-label={t("components.nameList.remove", { name })} />}
          onDelete={() => onChange(value.filter((other) => other !== name))}
          sx={{ maxWidth: "100%" }}
        />
      ))}
      {hidden > 0 && (
        <Button size="small" variant="text" sx={{ height: 24 }} onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? t("components.nameList.fewer") : t("components.nameList.more", { count: hidden })}
        </Button>
      )}
      <Autocomplete
        freeSolo
        autoHighlight={Boolean(strict)}
        value={null}
        inputValue={text}
        options={free}
        sx={{ flex: 1, minWidth: 140 }}
        filterOptions={(names, { inputValue }) => matching(names, inputValue)}
        onChange={(_, name) => typeof name === "string" && add(name)}
        onInputChange={(_, typed, reason) => reason === "input" && setText(typed)}
        renderInput={({ slotProps }) => (
          <InputBase
            ref={slotProps.input.ref}
            fullWidth
            placeholder={value.length === 0 ? placeholder : ""}
            inputProps={{
              ...slotProps.htmlInput,
              id: id ?? slotProps.htmlInput.id,
              "aria-label": id ? undefined : placeholder,
              "aria-invalid": invalid || undefined,
            }}
            sx={{ fontSize: 13, px: 1, "& input": { p: 0, height: 24, outline: "none !important" } }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (!/[,\n]/.test(pasted)) return;
              event.preventDefault();
              add(pasted);
            }}
            onKeyDown={(event) => {
              if (event.key === "," || (event.key === "Tab" && text !== "")) {
                event.preventDefault();
                add(text);
              } else if (event.key === "Backspace" && text === "" && value.length > 0) onChange(value.slice(0, -1));
            }}
            onBlur={() => text !== "" && add(text)}
          />
        )}
      />
    </Box>
  );
}

type SuggestedInputProps = Readonly<{
  id: string;
  value: string;
  onChange: (text: string) => void;
  /** Suggested while typing; anything else is taken too. */
  options: readonly string[];
  hasError?: boolean;
  isDisabled?: boolean;
  placeholder?: string | undefined;
  autoFocus?: boolean | undefined;
}>;

/** A text for which there are suggestions. */
export const SuggestedInput = ({
  id,
  value,
  onChange,
  options,
  hasError,
  isDisabled,
  ...input
}: SuggestedInputProps) => (
  <Autocomplete
    {...useSuggestionTexts()}
    freeSolo
    disabled={isDisabled ?? false}
    options={options}
    filterOptions={(names, { inputValue }) => matching(names, inputValue)}
    inputValue={value}
    onInputChange={(_, text) => onChange(text)}
    renderInput={({ slotProps }) => (
      <OutlinedInput
        {...input}
        ref={slotProps.input.ref}
        fullWidth
        error={hasError ?? false}
        inputProps={{ ...slotProps.htmlInput, id }}
        endAdornment={slotProps.input.endAdornment}
      />
    )}
  />
);

function matching(names: readonly string[], typed: string): string[] {
  const search = typed.trim().toLowerCase();
  const found: string[] = [];
  for (const name of names) {
    if (!name.toLowerCase().includes(search)) continue;
    found.push(name);
    if (found.length === SUGGESTED) break;
  }
  return found;
}
