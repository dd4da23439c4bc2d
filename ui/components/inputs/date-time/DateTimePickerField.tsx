import "dayjs/locale/fr";
import "dayjs/locale/ja";
import "dayjs/locale/ru";
import "dayjs/locale/vi";
import "dayjs/locale/zh-cn";
import "dayjs/locale/zh-tw";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DateTimePicker } from "@mui/x-date-pickers/DateTimePicker";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { frFR, jaJP, ruRU, viVN, zhCN, zhTW } from "@mui/x-date-pickers/locales";
import type { FieldRef } from "@mui/x-date-pickers/models";
import dayjs, { type Dayjs } from "dayjs";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { DateTimeInputProps } from "./DateTimeInput.tsx";

/** The picker has its own input: give it the height, type and border of the others. */
const FIELD = {
  "& .MuiPickersInputBase-root": { height: 32, px: 2.5, fontSize: 13, borderRadius: "7px", bgcolor: "surface.paper" },
  "& .MuiPickersSectionList-root": { py: 0 },
  "& .MuiPickersOutlinedInput-notchedOutline": { borderColor: "line.strong" },
  "& .Mui-focused .MuiPickersOutlinedInput-notchedOutline": { borderWidth: "1px !important" },
  "& .MuiInputAdornment-root .MuiIconButton-root": { mr: -2 },
} as const;

/** The picker's own words and the names of months and days, by the console's language. */
const LOCALES: Readonly<Record<string, Readonly<{ dayjs: string; picker: typeof zhCN }>>> = {
  fr: { dayjs: "fr", picker: frFR },
  ja: { dayjs: "ja", picker: jaJP },
  ru: { dayjs: "ru", picker: ruRU },
  vi: { dayjs: "vi", picker: viVN },
  zh: { dayjs: "zh-cn", picker: zhCN },
  "zh-TW": { dayjs: "zh-tw", picker: zhTW },
};

/** Whether some of year, month, day, hour and minute are filled, and some are not. */
const isIncomplete = (field: FieldRef<Dayjs | null> | null): boolean => {
  const filled = field?.getSections().map(({ value }) => value !== "") ?? [];
  return filled.includes(true) && filled.includes(false);
};

/**
 * A local date and time to the minute, typed or chosen. The picker gives null for an incomplete date, or nothing at all: the
 * sections are asked after each change, as an incomplete date is not an empty one.
 */
export default function DateTimePickerField({ label, value, onChange, hasError }: DateTimeInputProps) {
  const { i18n } = useTranslation();
  const locale = LOCALES[i18n.language];
  const field = useRef<FieldRef<Dayjs | null>>(null);
  const wasIncomplete = useRef(false);
  const inspect = () => {
    const isNow = isIncomplete(field.current);
    if (isNow) onChange(undefined);
    else if (wasIncomplete.current && field.current?.getSections().every((section) => section.value === ""))
      onChange(null);
    wasIncomplete.current = isNow;
  };
  // The sections change after the event.
  const inspectSoon = () => setTimeout(inspect);
  return (
    <LocalizationProvider
      dateAdapter={AdapterDayjs}
      adapterLocale={locale?.dayjs ?? "en"}
      {...(locale && { localeText: locale.picker.components.MuiLocalizationProvider.defaultProps.localeText })}
    >
      <DateTimePicker
        value={value === null ? null : dayjs.unix(value)}
        ampm={false}
        format="YYYY-MM-DD HH:mm"
        timeSteps={{ minutes: 1 }}
        onChange={(moment) => {
          onChange(moment === null ? null : moment.isValid() ? moment.unix() : undefined);
          inspectSoon();
        }}
        slotProps={{
          textField: {
            fullWidth: true,
            size: "small",
            // Without an error of the form's, the picker marks what it finds wrong.
            ...(hasError && { error: true }),
            sx: FIELD,
            slotProps: { input: { "aria-label": label } },
          },
          field: { clearable: false, fieldRef: field, onKeyUp: inspectSoon, onInput: inspectSoon, onBlur: inspectSoon },
        }}
      />
    </LocalizationProvider>
  );
}
