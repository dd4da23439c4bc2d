import "dayjs/locale/zh-cn";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DateTimePicker } from "@mui/x-date-pickers/DateTimePicker";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { zhCN } from "@mui/x-date-pickers/locales";
import dayjs from "dayjs";
import { useTranslation } from "react-i18next";

type DateTimeInputProps = Readonly<{
  /** Names the field for screen readers. */
  label: string;
  /** Epoch seconds; null: empty. */
  value: number | null;
  /** Null: empty; undefined: not a valid date. */
  onChange: (seconds: number | null | undefined) => void;
  hasError?: boolean;
}>;

/** The picker has its own input: give it the height, type and border of the others. */
const FIELD = {
  "& .MuiPickersInputBase-root": { height: 32, px: 2.5, fontSize: 13, borderRadius: "7px", bgcolor: "surface.paper" },
  "& .MuiPickersSectionList-root": { py: 0 },
  "& .MuiPickersOutlinedInput-notchedOutline": { borderColor: "line.strong" },
  "& .Mui-focused .MuiPickersOutlinedInput-notchedOutline": { borderWidth: "1px !important" },
  "& .MuiInputAdornment-root .MuiIconButton-root": { mr: -2 },
} as const;

const chinese = zhCN.components.MuiLocalizationProvider.defaultProps.localeText;

/** A local date and time to the minute, typed or chosen. */
export const DateTimeInput = ({ label, value, onChange, hasError }: DateTimeInputProps) => {
  const { i18n } = useTranslation();
  const isChinese = i18n.language.startsWith("zh");
  return (
    <LocalizationProvider
      dateAdapter={AdapterDayjs}
      adapterLocale={isChinese ? "zh-cn" : "en"}
      {...(isChinese && { localeText: chinese })}
    >
      <DateTimePicker
        value={value === null ? null : dayjs.unix(value)}
        ampm={false}
        format="YYYY-MM-DD HH:mm"
        timeSteps={{ minutes: 1 }}
        onChange={(moment) => onChange(moment === null ? null : moment.isValid() ? moment.unix() : undefined)}
        slotProps={{
          textField: {
            fullWidth: true,
            size: "small",
            error: hasError ?? false,
            sx: FIELD,
            slotProps: { input: { "aria-label": label } },
          },
          field: { clearable: false },
        }}
      />
    </LocalizationProvider>
  );
};
