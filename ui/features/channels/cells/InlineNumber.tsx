import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import OutlinedInput from "@mui/material/OutlinedInput";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { priorityError } from "../../../../src/domain/channels/routing/channel-rules.ts";

type InlineNumberProps = Readonly<{
  /** Null: several channels with different values. */
  value: number | null;
  field: "priority" | "weight";
  /** Accessible label: whose number it is. */
  label: string;
  isOfTag?: boolean;
  onSave: (value: number) => void;
}>;

/** A number edited in place: Enter or blur saves, Esc restores. */
export const InlineNumber = ({ value, field, label, isOfTag = false, onSave }: InlineNumberProps) => {
  const { t } = useTranslation();
  const [text, setText] = useState<string | null>(null);
  const isSettled = useRef(false);
  if (text === null) {
    return (
      <ButtonBase
        aria-label={`${label}: ${value ?? t("channels.tags.differs")}`}
        onClick={(event) => {
          event.stopPropagation();
          isSettled.current = false;
          setText(String(value ?? ""));
        }}
        sx={{
          minWidth: 32,
          height: 26,
          px: 1.5,
          mx: -1.5,
          justifyContent: "flex-end",
          borderRadius: "5px",
          border: "1px solid transparent",
          fontSize: 13,
          fontVariantNumeric: "tabular-nums",
          cursor: "text",
          color: value === 0 || value === null ? "text.tertiary" : "inherit",
          "tr:hover &, &:hover, &:focus-visible": { borderColor: "line.strong", bgcolor: "surface.paper" },
        }}
      >
        {value !== null && value < 0 ? `−${-value}` : value}
      </ButtonBase>
    );
  }
  const number = readInline(text, field, isOfTag);
  const settle = (save: boolean) => {
    if (isSettled.current) return;
    isSettled.current = true;
    setText(null);
    if (save && number !== null && number !== value) onSave(number);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && number !== null) settle(true);
    if (event.key === "Escape") settle(false);
  };
  return (
    <Box component="span" onClick={(event) => event.stopPropagation()}>
      <OutlinedInput
        autoFocus
        value={text}
        error={number === null}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => settle(true)}
        onKeyDown={onKeyDown}
        title={number === null ? t(`channels.${field}Range`) : undefined}
        inputProps={{ "aria-label": label, inputMode: "numeric", style: { textAlign: "right", padding: "3px 0" } }}
        sx={{
          width: { xs: 72, sm: "calc(100% + 12px)" },
          minHeight: "28px !important",
          px: "6px !important",
          my: "-4px",
          mx: { sm: -1.5 },
        }}
      />
    </Box>
  );
};

/**
 * Parses an edited priority or weight: a whole number within its bounds, or null if invalid. A channel's weight below 0
 * becomes 0; for a tag it is invalid, because it would change all its channels to a value that nobody typed.
 */
export function readInline(text: string, field: "priority" | "weight", isOfTag = false): number | null {
  if (!/^\s*[-−]?\d{1,9}\s*$/.test(text)) return null;
  const number = Number(text.replace("−", "-"));
  if (field === "priority") return priorityError(number) ? null : number;
  return isOfTag && number < 0 ? null : Math.max(0, number);
}
