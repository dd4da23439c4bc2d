import Calendar from "@mui/icons-material/CalendarTodayOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Popover from "@mui/material/Popover";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { CALENDAR, calendarRange, type RangeName, type TimeRange } from "../time-range.ts";

const CUSTOM = "custom";

type RangePickerProps = Readonly<{
  range: TimeRange;
  /** The ranges offered as buttons. */
  names: readonly RangeName[];
  /** The page shows rows of any time: no range is selected. */
  isAnyTime?: boolean | undefined;
  onNamed: (name: RangeName) => void;
  /** Epoch seconds; without it, only named ranges are offered. */
  onCustom?: (start: number, end: number) => void;
}>;

/** Chooses the time range of a page. */
export const RangePicker = ({ range, names, isAnyTime, onNamed, onCustom }: RangePickerProps) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <Box sx={{ overflowX: "auto", maxWidth: "100%", scrollbarWidth: "none" }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        value={isAnyTime ? null : (range.name ?? CUSTOM)}
        aria-label={t("logs.range")}
      >
        {names.map((name) => (
          <ToggleButton key={name} value={name} onClick={() => onNamed(name)}>
            {t(`logs.ranges.${name}`)}
          </ToggleButton>
        ))}
        {onCustom && (
          <ToggleButton value={CUSTOM} aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
            <Calendar sx={{ fontSize: 14 }} />
            {t("logs.ranges.custom")}
          </ToggleButton>
        )}
      </ToggleButtonGroup>
      {anchor && onCustom && (
        <CustomRange
          anchor={anchor}
          range={range}
          onClose={() => setAnchor(null)}
          onApply={(start, end) => {
            onCustom(start, end);
            setAnchor(null);
          }}
        />
      )}
    </Box>
  );
};

type CustomRangeProps = Readonly<{
  anchor: HTMLElement;
  range: TimeRange;
  onApply: (start: number, end: number) => void;
  onClose: () => void;
}>;

const CustomRange = ({ anchor, range, onApply, onClose }: CustomRangeProps) => {
  const { t } = useTranslation();
  const [start, setStart] = useState<number | null | undefined>(range.start);
  const [end, setEnd] = useState<number | null | undefined>(range.end);
  const isUsable = typeof start === "number" && typeof end === "number" && start < end;
  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
      transformOrigin={{ vertical: "top", horizontal: "right" }}
      slotProps={{
        paper: {
          role: "dialog",
          "aria-label": t("logs.ranges.custom"),
          sx: { mt: 1, p: 4, width: 300, border: "1px solid", borderColor: "line.main" },
        },
      }}
    >
      <Col gap={4}>
        <Box sx={{ display: "grid", gridTemplateColumns: "1fr 1fr", gap: 2 }}>
          {CALENDAR.map((name) => (
            <Button
              key={name}
              size="small"
              onClick={() => {
                const { start, end } = calendarRange(name, new Date());
                onApply(start, end);
              }}
            >
              {t(`logs.ranges.${name}`)}
            </Button>
          ))}
        </Box>
        <Field label={t("logs.from")}>
          <DateTimeInput
            label={t("logs.from")}
            value={start ?? null}
            onChange={setStart}
            hasError={start === undefined}
          />
        </Field>
        <Field
          label={t("logs.to")}
          error={typeof start === "number" && typeof end === "number" && start >= end && t("logs.rangeOrder")}
        >
          <DateTimeInput label={t("logs.to")} value={end ?? null} onChange={setEnd} hasError={end === undefined} />
        </Field>
        <Button
          variant="contained"
          color="primary"
          disabled={!isUsable}
          onClick={() => isUsable && onApply(start, end)}
        >
          {t("logs.apply")}
        </Button>
      </Col>
    </Popover>
  );
};
